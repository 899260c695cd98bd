import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { cutOffSlowReaders, type Responses, unreadLimits } from "@/server/edge/slow-readers";
import { createWebServer } from "@/server/web-server";
import { head } from "../support/raw-http";

const mib = 1_024 ** 2;
/** More than the system holds for a client that does not read. */
const large = Buffer.alloc(24 * mib, "a");
const small = Buffer.alloc(12 * mib, "b");

/** Ends each response to `/later`. */
const later: (() => void)[] = [];

/** Sends a file as the store on a disk does: a chunk whenever the one before is on its way. */
function sendChunks(response: ServerResponse): void {
  const chunkBytes = 64 * 1_024;
  let sent = 0;
  const send = () => {
    while (sent < large.length) {
      sent += chunkBytes;
      if (!response.write(large.subarray(sent - chunkBytes, sent))) return;
    }
    response.off("drain", send).end();
  };
  response.on("drain", send);
  send();
}

const server = createWebServer({
  servePages: ({ url }: { url?: string }, response: ServerResponse) => {
    if (url === "/chunks") return sendChunks(response);
    if (url === "/later") return void later.push(() => response.end(small));
    response.end(url === "/small" ? small : large);
  },
  trustedProxyHops: 0,
});
let accepted: Socket[] = [];
/** As the edge tracks them, for the tests that move the time. */
const tracked = new Map<Socket, Responses & { exchanges: { response: ServerResponse }[] }>();
server.on("connection", (socket: Socket) => {
  accepted.push(socket);
  tracked.set(socket, { exchanges: [], unread: null });
});
server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
  const exchanges = tracked.get(socket)?.exchanges ?? [];
  exchanges.push({ response });
  response.once("close", () => exchanges.shift());
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const usual = { ...unreadLimits };
afterEach(() => {
  Object.assign(unreadLimits, usual);
  for (const socket of accepted) socket.destroy();
  accepted = [];
  later.length = 0;
  tracked.clear();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends requests on a connection of its own, and reads nothing of the responses. */
async function askWithoutReading(...paths: string[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(paths.map((path) => head(`GET ${path} HTTP/1.1`, {})).join(""));
  return socket;
}

const isCutOff = ({ destroyed }: Socket) => destroyed;
const unread = () =>
  accepted
    .filter((socket) => !isCutOff(socket))
    .reduce((sum, each) => sum + each.writableLength, 0);

test("clients that do not read cannot use up the memory: those with the most unread bytes are cut off", async () => {
  unreadLimits.maximumBytes = 64 * mib;
  const patient = await askWithoutReading("/small");
  const clients = await Promise.all(Array.from({ length: 8 }, () => askWithoutReading("/large")));
  await expect.poll(() => accepted.filter(isCutOff).length).toBeGreaterThan(0);
  await expect.poll(unread).toBeLessThanOrEqual(64 * mib);

  // Someone with less to read is not affected.
  let read = 0;
  patient.on("data", (part) => {
    read += part.length;
  });
  patient.resume();
  await expect.poll(() => read).toBeGreaterThanOrEqual(small.length);
  for (const client of clients) client.destroy();
});

test("responses to pipelined requests count, too", async () => {
  unreadLimits.maximumBytes = 64 * mib;
  const client = await askWithoutReading(...Array.from({ length: 8 }, () => "/large"));
  await expect.poll(() => accepted.every(isCutOff)).toBe(true);
  client.destroy();
});

test("a client that takes nothing of its response for too long is cut off", async () => {
  Object.assign(unreadLimits, { graceMs: 100, bytesPerMs: 1_000_000 });
  const client = await askWithoutReading("/large");
  await expect.poll(() => accepted.some(isCutOff)).toBe(true);
  client.destroy();
});

test.each(["/large", "/chunks"])(
  "a client that reads slowly but steadily gets all of %s",
  async (path) => {
    const bytesPerMs = 24;
    const client = connect(port, "127.0.0.1");
    client.on("error", () => {});
    client.write(head(`GET ${path} HTTP/1.1`, { Connection: "close" }));
    let received = 0;
    let nowMs = 0;
    client.pause();
    await expect.poll(unread).toBeGreaterThan(0);
    for await (const part of client) {
      received += part.length;
      nowMs += part.length / bytesPerMs;
      // The system passes on what it holds, and the server writes more.
      await delay(1);
      cutOffSlowReaders(tracked, nowMs);
    }
    expect(received).toBeGreaterThan(large.length);
    expect(nowMs).toBeGreaterThan(10 * unreadLimits.graceMs);
  },
);

test("a client that reads nothing is cut off, even if more responses follow", async () => {
  Object.assign(unreadLimits, { bytesPerMs: 1_000_000, maximumBytes: Number.POSITIVE_INFINITY });
  const maximumResponses = 10;
  const laterPaths = Array.from({ length: maximumResponses }, () => "/later");
  const client = await askWithoutReading("/large", ...laterPaths);
  await expect.poll(() => later.length).toBe(maximumResponses);
  let nowMs = 0;
  const isOver = () => accepted.every(isCutOff);
  while (!isOver() && later.length > 0) {
    cutOffSlowReaders(tracked, nowMs);
    later.shift()?.();
    nowMs += unreadLimits.graceMs / 2;
    await delay(1);
  }
  expect(isOver()).toBe(true);
  client.destroy();
});
