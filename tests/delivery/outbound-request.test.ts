import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { outboundRequest } from "@/lib/webhooks/outbound-request";
import { startNameServer } from "../support/name-server";
import { type Answer, startReceiver, startTcpReceiver } from "../support/receiver";
import { selfSignedCertificate } from "../support/self-signed-certificate";

const deadlineMs = 400;
let keys = 0;
const post = (url: string, connectionKey = `whk_${keys++}`) =>
  outboundRequest({ connectionKey, url, headers: { "content-type": "application/json" }, body: '{"a":1}' }, { timeoutMs: deadlineMs });

async function postTo(answer: Answer) {
  const receiver = await startReceiver(answer);
  const result = await post(receiver.url);
  await receiver.close();
  return { result, receiver };
}

async function postToTcp(onConnection: Parameters<typeof startTcpReceiver>[0]) {
  const receiver = await startTcpReceiver(onConnection);
  const result = await post(receiver.url);
  await receiver.close();
  return result;
}

const drip = (write: () => unknown) => {
  const timer = setInterval(() => {
    if (write() === false) clearInterval(timer);
  }, 20);
  return timer;
};

let nameServer: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  nameServer = await startNameServer({ "receiver.example.com": ["127.0.0.1"] });
});
afterAll(() => nameServer.close());

test("an answer is its status, its text and how long it took", async () => {
  const { result, receiver } = await postTo((response) => void response.writeHead(201).end("thanks"));
  expect(result).toEqual({ statusCode: 201, response: "thanks", durationMs: expect.any(Number) });
  expect(receiver.requests[0]).toMatchObject({
    method: "POST",
    body: '{"a":1}',
    headers: { "content-type": "application/json", "accept-encoding": "identity", "content-length": "7" },
  });
});

test("a name whose addresses are all allowed is connected to", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  expect(await post(`http://receiver.example.com:${port}/`)).toMatchObject({ statusCode: 200 });
  expect(await post(`http://localhost:${port}/`)).toMatchObject({ statusCode: 200 });
  await receiver.close();
});

test("metadata addresses stay closed whatever is opened", async () => {
  expect(await post("http://169.254.169.254/latest/meta-data/")).toMatchObject({ errorCode: "blocked_address" });
});

test.each([301, 302, 303, 307, 308])("%i is an answer like any other, and not followed", async (status) => {
  const { result, receiver } = await postTo((response) => void response.writeHead(status, { location: "/again" }).end());
  expect(result).toMatchObject({ statusCode: status });
  expect(receiver.requests).toHaveLength(1);
});

test("16 KiB of a long answer are kept", async () => {
  const { result } = await postTo((response) => void response.end("x".repeat(100_000)));
  expect(result).toMatchObject({ statusCode: 200, response: "x".repeat(16_384) });
});

test("an endless answer is cut off, and its connection with it", async () => {
  let isCut = false;
  const receiver = await startReceiver((response) => {
    response.on("close", () => {
      isCut = true;
    });
    const pump = () => {
      while (!isCut && response.write("y".repeat(65_536)));
      if (!isCut) response.once("drain", pump);
    };
    pump();
  });
  expect(await post(receiver.url)).toMatchObject({ statusCode: 200, response: "y".repeat(16_384) });
  await expect.poll(() => isCut).toBe(true);
  await receiver.close();
});

test("a compressed answer is not inflated", async () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  const { result } = await postTo((response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
  expect("response" in result && result.response.length).toBeLessThanOrEqual(16_384);
});

test("NUL characters are taken out and invalid UTF-8 is replaced", async () => {
  const { result } = await postTo((response) => void response.end(Buffer.from([0x61, 0x00, 0x62, 0xff, 0xfe, 0x63])));
  expect(result).toMatchObject({ response: "ab\ufffd\ufffdc" });
});

test.each([
  ["never accepts the request", () => {}],
  [
    "sends its headers byte by byte",
    (socket) =>
      void socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nx-long: ");
        drip(() => socket.writable && socket.write("h"));
      }),
  ],
  [
    "goes on with 1xx answers",
    (socket) => void socket.once("data", () => drip(() => socket.writable && socket.write("HTTP/1.1 102 Processing\r\n\r\n"))),
  ],
  [
    "drips its body",
    (socket) =>
      void socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n");
        drip(() => socket.writable && socket.write("z"));
      }),
  ],
] satisfies [string, Parameters<typeof startTcpReceiver>[0]][])(
  "a receiver that %s meets the one deadline",
  async (_name, onConnection) => {
    const result = await postToTcp(onConnection);
    expect(result).toEqual({ errorCode: "timeout", durationMs: expect.any(Number) });
    expect(result.durationMs).toBeGreaterThanOrEqual(deadlineMs - 5);
    expect(result.durationMs).toBeLessThan(deadlineMs + 300);
  },
);

test.each([
  ["resets at once", (socket) => void socket.resetAndDestroy(), "connection_reset"],
  ["closes without a word", (socket) => void socket.once("data", () => socket.end()), "connection_reset"],
  [
    "closes in the middle of its body",
    (socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort")),
    "connection_reset",
  ],
  ["does not speak HTTP", (socket) => void socket.once("data", () => socket.end("220 smtp.example.com ESMTP\r\n")), "invalid_response"],
  [
    "sends 30 KB of headers",
    (socket) => void socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nx: ${"h".repeat(30_000)}\r\n\r\n`)),
    "invalid_response",
  ],
] satisfies [string, Parameters<typeof startTcpReceiver>[0], string][])(
  "a receiver that %s is a failure",
  async (_name, onConnection, errorCode) => {
    expect(await postToTcp(onConnection)).toEqual({ errorCode, durationMs: expect.any(Number) });
  },
);

test("nobody there is connection_refused", async () => {
  const receiver = await startTcpReceiver(() => {});
  await receiver.close();
  expect(await post(receiver.url)).toMatchObject({ errorCode: "connection_refused" });
});

test("TLS garbage and a certificate that nobody vouches for are tls_error", async () => {
  const garbage = await startTcpReceiver((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  expect(await post(`https://127.0.0.1:${garbage.port}/`)).toMatchObject({ errorCode: "tls_error" });
  await garbage.close();

  const server = createServer(selfSignedCertificate, (_request, response) => void response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ errorCode: "tls_error" });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  [429, "7", 7],
  [503, "120", 120],
  [503, new Date(Date.now() + 60_000).toUTCString(), 60],
  [429, "1000000000", 1_000_000_000],
  [429, "1e9", undefined],
  [429, "-5", undefined],
  [429, "soon", undefined],
  [500, "7", undefined],
  [200, "7", undefined],
])("%i with Retry-After %j asks for a wait of %j s", async (status, value, seconds) => {
  const { result } = await postTo((response) => void response.writeHead(status, { "retry-after": value }).end());
  const asked = "retryAfterSeconds" in result ? result.retryAfterSeconds : undefined;
  if (seconds === undefined) expect(asked).toBeUndefined();
  else expect(Math.abs((asked ?? 0) - seconds)).toBeLessThanOrEqual(3);
});

test("connections are kept for the same webhook, and never shared between two", async () => {
  const receiver = await startReceiver();
  for (let round = 0; round < 3; round++) {
    await post(receiver.url, "whk_kept");
    // The connection is free again a moment after its answer was read.
    await new Promise(setImmediate);
  }
  expect(receiver.connectionCount).toBe(1);
  await post(receiver.url, "whk_other");
  expect(receiver.connectionCount).toBe(2);
  await receiver.close();
});
