import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { deadlineMs, outboundRequest } from "@/lib/platform/outbound-http/outbound-request";
import { watchConnectionAttempts } from "../support/connection-attempts";
import { kinds, openHostile } from "../support/gallery";
import { startNameServer } from "../support/name-server";
import { type Respond, startReceiver } from "../support/receiver";

let keys = 0;
const post = (url: string, connectionKey = `whk_${keys++}`, timeoutMs = deadlineMs) =>
  outboundRequest(
    { connectionKey, url, headers: ["content-type", "application/json"], body: '{"a":1}' },
    { timeoutMs },
  );

async function postTo(respond: Respond) {
  const receiver = await startReceiver(respond);
  const result = await post(receiver.url);
  await receiver.close();
  return { result, receiver };
}

let nameServer: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  nameServer = await startNameServer({ "receiver.example.com": ["127.0.0.1"] });
});
afterAll(() => nameServer.close());
afterEach(() => void vi.useRealTimers());

test("a response is reported with its status, its text and its duration", async () => {
  const { result, receiver } = await postTo(
    (response) => void response.writeHead(201).end("thanks"),
  );
  expect(result).toEqual({ statusCode: 201, response: "thanks", durationMs: expect.any(Number) });
  expect(receiver.requests[0]).toMatchObject({
    method: "POST",
    body: '{"a":1}',
    headers: {
      "content-type": "application/json",
      "accept-encoding": "identity",
      "content-length": "7",
    },
  });
});

test("a name is connected to if all of its addresses are allowed", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  expect(await post(`http://receiver.example.com:${port}/`)).toMatchObject({ statusCode: 200 });
  expect(await post(`http://localhost:${port}/`)).toMatchObject({ statusCode: 200 });
  await receiver.close();
});

test("metadata addresses stay closed whatever networks are opened", async () => {
  expect(await post("http://169.254.169.254/latest/meta-data/")).toMatchObject({
    errorCode: "blocked_address",
  });
});

test("a name that resolves to the installation's own database is never connected to", async () => {
  const { port } = new URL(process.env.DATABASE_URL ?? "");
  const attempts = watchConnectionAttempts();
  for (const host of [
    "receiver.example.com",
    "localhost",
    "127.0.0.1",
    "127.9.9.9",
    "[::ffff:127.0.0.1]",
  ]) {
    for (const protocol of ["http", "https"]) {
      expect(await post(`${protocol}://${host}:${port}/`)).toMatchObject({
        errorCode: "blocked_address",
      });
    }
  }
  attempts.stop();
  expect(attempts.addresses).toEqual([]);
});

test.each([301, 302, 303, 307, 308])(
  "%i is a response like any other, and not followed",
  async (status) => {
    const { result, receiver } = await postTo(
      (response) => void response.writeHead(status, { location: "/again" }).end(),
    );
    expect(result).toMatchObject({ statusCode: status });
    expect(receiver.requests).toHaveLength(1);
  },
);

test.each([301, 302, 303, 307, 308])("%i leads nowhere, least of all inside", async (status) => {
  const inside = await startReceiver();
  const targets = [
    inside.url,
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://[::1]:5432/",
    "file:///etc/passwd",
  ];
  for (const location of targets) {
    const attempts = watchConnectionAttempts();
    const { result, receiver } = await postTo(
      (response) => void response.writeHead(status, { location }).end(),
    );
    attempts.stop();
    expect(result).toMatchObject({ statusCode: status });
    expect([receiver.requests.length, attempts.addresses]).toEqual([1, ["127.0.0.1"]]);
  }
  expect(inside.connectionCount).toBe(0);
  await inside.close();
});

test("a name that resolves differently the next time is resolved once for each connection", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  let lookups = 0;
  const rebinding = {
    // The lookup asks for both kinds of address, so the third reply belongs to the second
    // connection.
    get "rebinding.example.com"() {
      return lookups++ < 2 ? ["127.0.0.1"] : ["10.0.0.1"];
    },
  };
  const rebindingServer = await startNameServer(rebinding);
  const attempts = watchConnectionAttempts();
  expect(await post(`http://rebinding.example.com:${port}/`)).toMatchObject({ statusCode: 200 });
  expect(await post(`http://rebinding.example.com:${port}/`)).toMatchObject({
    errorCode: "blocked_address",
  });
  expect(attempts.addresses).toEqual(["127.0.0.1"]);
  attempts.stop();
  await rebindingServer.close();
  await receiver.close();
});

test("16 KiB of a long response are stored", async () => {
  const { result } = await postTo((response) => void response.end("x".repeat(100_000)));
  expect(result).toMatchObject({ statusCode: 200, response: "x".repeat(16_384) });
});

test("an endless response is cut off, and its connection is closed", async () => {
  const endless = await openHostile("sends an endless body");
  expect(await post(endless.url)).toMatchObject({ statusCode: 200, response: "y".repeat(16_384) });
  await expect.poll(endless.openSockets).toBe(0);
  await endless.close();
});

test("NUL characters are removed and invalid UTF-8 is replaced", async () => {
  const receiver = await openHostile("sends NUL and invalid UTF-8");
  expect(await post(receiver.url)).toMatchObject({ response: "ab\ufffd\ufffdc" });
  await receiver.close();
});

test.each(kinds)(
  "a receiver that %s gives the expected result within the one deadline",
  async (kind) => {
    const receiver = await openHostile(kind);
    const isLate = "errorCode" in receiver.outcome && receiver.outcome.errorCode === "timeout";
    // The product's own deadline, unless that is what the test waits for.
    const timeoutMs = isLate ? 1_000 : deadlineMs;
    const result = await post(receiver.url, undefined, timeoutMs);
    await receiver.close();
    expect(result).toMatchObject(receiver.outcome);
    if (isLate) expect(result.durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
    // Nothing is decompressed, and no more is stored than promised.
    if ("response" in result) expect(result.response.length).toBeLessThanOrEqual(16_384);
  },
);

test("connection_refused where nothing listens", async () => {
  const receiver = await startReceiver();
  await receiver.close();
  expect(await post(receiver.url)).toMatchObject({ errorCode: "connection_refused" });
});

test.each([
  [429, "7", 7],
  [503, "120", 120],
  [503, (at: number) => new Date(at + 60_000).toUTCString(), 60],
  [429, "1000000000", 1_000_000_000],
  [429, "1e9", undefined],
  [429, "-5", undefined],
  [429, "soon", undefined],
  [500, "7", undefined],
  [200, "7", undefined],
])("%i with Retry-After %s asks for a wait of %j s", async (status, given, seconds) => {
  const value = typeof given === "string" ? given : given(Date.now());
  const startedAt = Date.now();
  const { result } = await postTo(
    (response) => void response.writeHead(status, { "retry-after": value }).end(),
  );
  const asked = "retryAfterSeconds" in result ? result.retryAfterSeconds : undefined;
  if (seconds === undefined) expect(asked).toBeUndefined();
  else {
    expect(asked).toBeLessThanOrEqual(seconds);
    expect(asked).toBeGreaterThanOrEqual(seconds - 1 - (Date.now() - startedAt) / 1_000);
  }
});

test("a request that was cut off leads to no further connection", async () => {
  const receiver = await startReceiver(() => {});
  vi.useFakeTimers({ toFake: ["performance"] });
  const cutOff = post(receiver.url, "whk_cut");
  await receiver.received(1);
  vi.advanceTimersByTime(deadlineMs);
  expect(await cutOff).toMatchObject({ errorCode: "timeout" });
  receiver.respond = (response) => void response.end("x".repeat(100_000));
  expect(await post(receiver.url, "whk_cut")).toMatchObject({ statusCode: 200 });
  receiver.respondWith(200);
  expect(await post(receiver.url, "whk_other")).toMatchObject({ statusCode: 200 });
  expect(receiver.connectionCount).toBe(3);
  await receiver.close();
});

test("connections are reused for the same webhook, and never shared between two", async () => {
  const receiver = await startReceiver();
  // The connection is free again a moment after its response was read, and is closed after 4 s
  // without a request.
  await expect
    .poll(async () => {
      const before = receiver.connectionCount;
      await post(receiver.url, "whk_kept");
      return receiver.connectionCount - before;
    })
    .toBe(0);
  const before = receiver.connectionCount;
  await post(receiver.url, "whk_other");
  expect(receiver.connectionCount).toBe(before + 1);
  await receiver.close();
});
