import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createWebServer } from "@/server/web-server";
import { newTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";

const bodyTimeoutMs = 100;
const server = createWebServer({ servePages: (_request, response) => response.end(), trustedProxyHops: 0, bodyTimeoutMs });
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends the first part of a body, and the second one only when the time is over. @returns the answer */
async function sendSlowly(path: string, key: string, contentType: string, [first, second]: [string, string]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${key}`, `Content-Type: ${contentType}`];
  socket.on("error", () => {});
  const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
  socket.write(`${head.join("\r\n")}\r\nContent-Length: ${first.length + second.length}\r\n\r\n${first}`);
  await sleep(3 * bodyTimeoutMs);
  socket.write(second);
  return answer.finally(() => socket.destroy());
}

test("408 for a JSON body that is late, while an upload has more time", async () => {
  const tenant = await newTenant();
  const base = await newKnowledgeBase(tenant);
  const late = await sendSlowly("/v1/public/customers", tenant.key, "application/json", ['{"name":', '"Ada"}']);
  expect(late).toMatch(/^HTTP\/1.1 408 .*request-timeout.*took too long/s);

  const form: [string, string] = ['--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nTe', "xt\r\n--x--\r\n"];
  const path = `/v1/public/knowledge-bases/${base}/documents`;
  expect(await sendSlowly(path, tenant.key, "multipart/form-data; boundary=x", form)).toMatch(/^HTTP\/1.1 201 /);

  const inTime = await sendSlowly("/v1/public/customers", tenant.key, "application/json", ['{"name":"Ada"}', ""]);
  expect(inTime).toMatch(/^HTTP\/1.1 201 /);
});
