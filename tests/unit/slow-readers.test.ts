import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, afterEach, expect, test } from "vitest";
import { unreadLimits } from "@/server/edge/slow-readers";
import { createWebServer } from "@/server/web-server";
import { head } from "../support/raw-http";

const mib = 1_024 ** 2;
/** More than the system holds for a client that does not read. */
const large = Buffer.alloc(24 * mib, "a");
const small = Buffer.alloc(12 * mib, "b");

const server = createWebServer({
  servePages: ({ url }: { url?: string }, response: ServerResponse) =>
    response.end(url === "/small" ? small : large),
  trustedProxyHops: 0,
});
let accepted: Socket[] = [];
server.on("connection", (socket: Socket) => accepted.push(socket));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const usual = { ...unreadLimits };
afterEach(() => {
  Object.assign(unreadLimits, usual);
  for (const socket of accepted) socket.destroy();
  accepted = [];
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
  await expect.poll(() => accepted.filter(isCutOff).length, { timeout: 10_000 }).toBeGreaterThan(0);
  await expect.poll(unread, { timeout: 10_000 }).toBeLessThanOrEqual(64 * mib);

  // Someone with less to read is not affected.
  let read = 0;
  patient.on("data", (part) => {
    read += part.length;
  });
  patient.resume();
  await expect.poll(() => read, { timeout: 10_000 }).toBeGreaterThanOrEqual(small.length);
  for (const client of clients) client.destroy();
});

test("responses to pipelined requests count, too", async () => {
  unreadLimits.maximumBytes = 64 * mib;
  const client = await askWithoutReading(...Array.from({ length: 8 }, () => "/large"));
  await expect.poll(() => accepted.every(isCutOff), { timeout: 10_000 }).toBe(true);
  client.destroy();
});

test("a client that takes nothing of its response for too long is cut off", async () => {
  Object.assign(unreadLimits, { graceMs: 100, bytesPerMs: 1_000_000 });
  const client = await askWithoutReading("/large");
  await expect.poll(() => accepted.some(isCutOff), { timeout: 10_000 }).toBe(true);
  client.destroy();
});
