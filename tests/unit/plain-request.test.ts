import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, expect, test } from "vitest";
import { splitUrl } from "@/lib/api/pipeline";
import type { ApiRequest } from "@/lib/api/read-request";
import { toPlainRequest } from "@/server/edge/plain-request";
import { head, openRaw } from "../support/raw-http";

// A plain request must look to the API like the `Request` that the bridge makes of it.

const names = ["authorization", "idempotency-key", "content-type", "accept-encoding", "x-absent"];

async function seen(request: ApiRequest) {
  const headers = names.map((name) => [name, request.headers.get(name), request.headers.has(name)]);
  const body =
    request.method === "GET" ? "" : new TextDecoder().decode(await request.arrayBuffer());
  return { method: request.method, ...splitUrl(request.url), headers, body };
}

/** Responds with what the API would see, made in both ways; null for a request that is not plain. */
const throughBridge = getRequestListener(async (request) => Response.json(await seen(request)), {
  overrideGlobalObjects: false,
  hostname: "localhost",
});
const server = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
  if (incoming.headers["x-door"] === "bridge") return void throughBridge(incoming, outgoing);
  const plain = toPlainRequest(incoming);
  outgoing.end(JSON.stringify(plain && (await seen(plain))));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Sent = { line: string; headers: Record<string, string | string[]>; body: string };

async function send({ line, headers, body }: Sent, door: string) {
  const { socket, ended } = await openRaw(url);
  const lines = Object.entries({ ...headers, "X-Door": door, Connection: "close" }).flatMap(
    ([name, value]) => [value].flat().map((one) => `${name}: ${one}`),
  );
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  socket.write(
    `${[`${line} HTTP/1.1`, "Host: localhost", ...lines, ...length].join("\r\n")}\r\n\r\n${body}`,
  );
  const [, text = ""] = (await ended).split("\r\n\r\n");
  return text;
}

const plain: Sent[] = [
  { line: "GET /v1/public/conversations", headers: {}, body: "" },
  { line: "GET /v1/public/conversations?limit=5&tag=a%20b&x=%", headers: {}, body: "" },
  { line: "GET //v1//public/%41%2fb", headers: { Authorization: "Bearer  x " }, body: "" },
  { line: "DELETE /v1/a", headers: { Authorization: ["Bearer a", "Bearer b"] }, body: "" },
  { line: "POST /v1/a", headers: { "IDEMPOTENCY-key": ["a", "b"] }, body: '{"text":"ä"}' },
  {
    line: "PATCH /v1/a?",
    headers: { "Content-Type": "application/json" },
    body: "x".repeat(16_384),
  },
];

test.each(plain)("$line is seen as the bridge shows it", async (sent) => {
  const direct = await send(sent, "direct");
  expect(JSON.parse(direct)).toEqual(JSON.parse(await send(sent, "bridge")));
});

test.each<[string, Partial<Sent>]>([
  ["a path with dot segments", { line: "GET /v1/a/../b" }],
  ["a path with encoded dot segments", { line: "GET /v1/a/%2E%2e/b" }],
  ["a path with a backslash", { line: "GET /v1/a\\b" }],
  ["a target with other characters", { line: "GET /v1/a?b={c}|^" }],
  ["another method", { line: "OPTIONS /v1/a" }],
  ["an upload", { line: "POST /v1/a", headers: { "Content-Type": "Multipart/form-data" } }],
  ["a long body", { line: "POST /v1/a", body: "x".repeat(16_385) }],
])("%s is left to the bridge", async (_name, sent) => {
  expect(await send({ line: "", headers: {}, body: "", ...sent }, "direct")).toContain("null");
});

test("a body in chunks is left to the bridge", async () => {
  const { socket, ended } = await openRaw(url);
  const headers = { "Transfer-Encoding": "chunked", Connection: "close" };
  socket.write(`${head("POST /v1/a HTTP/1.1", headers)}0\r\n\r\n`);
  expect(await ended).toContain("null");
});
