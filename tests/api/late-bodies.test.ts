import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, expect, test } from "vitest";
import { attachEdge } from "@/server/edge/attach-edge";
import { createWebServer } from "@/server/web-server";
import { newTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";

const options = {
  servePages: (_request: unknown, response: ServerResponse) => response.end(),
  trustedProxyHops: 0,
};
// A body or a head that does not come in one piece is late. Node also counts a connection of which
// it has read nothing yet as a head that is late, so the bodies have a server of their own.
const lateHeads = { ...options, headersTimeoutMs: 1 };
const server = createWebServer({ ...options, bodyTimeoutMs: 1 });
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => close(server));

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/**
 * Sends the first part of a body. `finish` sends the rest; `response` is there once the server has
 * sent one.
 */
function sendStart(path: string, key: string, contentType: string, start: string, rest: string) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    `Content-Type: ${contentType}`,
  ];
  socket.on("error", () => {});
  const response = new Promise<string>((resolve) =>
    socket.once("data", (data) => resolve(data.toString())),
  );
  socket.write(
    `${head.join("\r\n")}\r\nContent-Length: ${start.length + rest.length}\r\n\r\n${start}`,
  );
  return { response: response.finally(() => socket.destroy()), finish: () => socket.write(rest) };
}

test("408 for a JSON body that is late, while an upload has more time", async () => {
  const tenant = await newTenant();
  const base = await newKnowledgeBase(tenant);
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nTe';
  const path = `/v1/public/knowledge-bases/${base}/documents`;
  const upload = sendStart(
    path,
    tenant.key,
    "multipart/form-data; boundary=x",
    start,
    "xt\r\n--x--\r\n",
  );

  const late = sendStart(
    "/v1/public/customers",
    tenant.key,
    "application/json",
    '{"name":',
    '"Ada"}',
  );
  expect(await late.response).toMatch(/^HTTP\/1.1 408 .*request-timeout.*took too long/s);

  // The upload began before the request that was late.
  upload.finish();
  expect(await upload.response).toMatch(/^HTTP\/1.1 201 /);
});

/** The response to a head whose end never comes. */
function answerToUnfinishedHead(to: Server): Promise<string> {
  const socket = connect((to.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET /v1/public/account HTTP/1.1\r\nHost: localhost\r\n");
  return new Promise<string>((resolve) =>
    socket.once("data", (data) => resolve(data.toString())),
  ).finally(() => socket.destroy());
}

test.each(["/login", "/v1/public/webhooks/some-id/rotate-secret"])(
  "408 for a late form that is not an upload, to %s",
  async (path) => {
    const { key } = await newTenant();
    const late = sendStart(path, key, "multipart/form-data; boundary=x", "--x\r\n", "--x--\r\n");
    expect(await late.response).toMatch(/^HTTP\/1.1 408 /);
  },
);

test("408 for a head that is late, within a second after its time is over", async () => {
  // Node's own check would come after 30 s, which is longer than this test may take.
  const impatient = createWebServer(lateHeads);
  impatient.listen(0, "127.0.0.1");
  await once(impatient, "listening");
  expect(await answerToUnfinishedHead(impatient)).toMatch(/^HTTP\/1\.1 408 /);
  close(impatient);
}, 20_000);

test("408 for a late head also on a server that was listening already, as Next's is", async () => {
  const other = createServer();
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  attachEdge(other, lateHeads);
  expect(await answerToUnfinishedHead(other)).toMatch(/^HTTP\/1\.1 408 /);
  close(other);
}, 20_000);
