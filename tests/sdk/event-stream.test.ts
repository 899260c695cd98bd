import { afterEach, expect, test } from "vitest";
import { revokeApiKey } from "@/lib/api-keys/service";
import { mutate } from "@/lib/platform/caller";
import * as sdk from "@/sdk/src/index";
import { baseUrl, call, newTenant } from "../support/api";
import { feedShowsAll } from "../support/feed";
import { type Respond, startReceiver } from "../support/receiver";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const streamHead = { "Content-Type": "text/event-stream" };
const message = (id: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ id, type: "webhook.test" })}\n\n`;

/** Sends this text, and then ends the stream cleanly or cuts it off. */
const stream =
  (text: string, end: "end" | "cut" = "end"): Respond =>
  (response) => {
    response.writeHead(200, streamHead);
    response.write(text, () => (end === "end" ? response.end() : response.destroy()));
  };

const problem =
  (status: number, kind: string): Respond =>
  (response) => {
    const type = `https://docs.example/errors/${kind}`;
    response
      .writeHead(status, { "Content-Type": "application/problem+json" })
      .end(JSON.stringify({ type, title: "A title", status, detail: "A detail." }));
  };

/** A client of a server that gives these responses one after the other, the last one forever. */
async function clientOf(responses: Respond[]) {
  const receiver = await startReceiver((response, received) => {
    const next = responses.length > 1 ? responses.shift() : responses[0];
    next?.(response, received);
  });
  closers.push(receiver.close);
  const waitsMs: number[] = [];
  const client = new sdk.Parlance(`prl_test_${"k".repeat(40)}`, {
    baseUrl: receiver.url,
    wait: async (milliseconds) => void waitsMs.push(milliseconds),
  });
  return { client, receiver, waitsMs };
}

async function collect(events: AsyncIterable<sdk.WebhookEvent>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events) if (ids.push(id) === count) break;
  return ids;
}

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

test("a stream reconnects after the last complete event: none is missed, and none comes twice", async () => {
  const { client, receiver } = await clientOf([
    stream(`retry: 1000\nid: evt_0\n\n${message("evt_1")}${message("evt_2").slice(0, -9)}`, "cut"),
    problem(503, "unavailable"),
    stream(
      `retry: 1000\nid: evt_1\n\n: heartbeat\n\n${message("evt_2")}: heartbeat\nid: evt_3\n\n`,
    ),
    problem(409, "limit-reached"),
    stream(`id: evt_3\n\n${message("evt_4")}`),
  ]);
  let connections = 0;
  const onOpen = () => connections++;
  const events = client.events.stream({ types: ["webhook.test"], cursor: "start" }, { onOpen });

  expect(await collect(events, 3)).toEqual(["evt_1", "evt_2", "evt_4"]);
  expect(receiver.requests.map(({ headers }) => headers["last-event-id"])).toEqual([
    undefined,
    ...["evt_1", "evt_1", "evt_3", "evt_3"],
  ]);
  expect(connections).toBe(3);
  for (const { path, headers } of receiver.requests) {
    expect(path).toBe("/v1/public/events/stream?types=webhook.test&cursor=start");
    expect(headers.accept).toBe("text/event-stream");
  }
});

test("a stream that was never connected gives up after its retries; one that was waits longer each time", async () => {
  const never = await clientOf([problem(503, "unavailable")]);
  expect(await failure(never.client.events.stream().next())).toBeInstanceOf(sdk.UnavailableError);
  expect(never.receiver.requests).toHaveLength(3);

  const failures = Array.from({ length: 6 }, () => problem(503, "unavailable"));
  const { client, waitsMs } = await clientOf([
    stream("id: evt_0\n\n"),
    ...failures,
    stream(message("evt_1")),
  ]);
  expect(await collect(client.events.stream(), 1)).toEqual(["evt_1"]);
  expect(waitsMs).toHaveLength(7);
  for (const [index, waitMs] of waitsMs.entries()) {
    const longestMs = Math.min(500 * 2 ** index, 8_000);
    expect(waitMs).toBeGreaterThanOrEqual(longestMs / 2);
    expect(waitMs).toBeLessThanOrEqual(longestMs);
  }
});

test.each([
  [401, "unauthorized", sdk.UnauthorizedError],
  [403, "insufficient-scope", sdk.InsufficientScopeError],
  [422, "invalid-cursor", sdk.InvalidCursorError],
] as const)(
  "a stream ends with the error if the API refuses it with %i",
  async (status, kind, Class) => {
    const { client, receiver } = await clientOf([stream(message("evt_1")), problem(status, kind)]);
    const events = client.events.stream();
    expect((await events.next()).value.id).toBe("evt_1");
    expect(await failure(events.next())).toBeInstanceOf(Class);
    expect(receiver.requests).toHaveLength(2);
  },
);

test("a response that is not a stream is an error, and limit-reached is one at the first connection", async () => {
  const page = await clientOf([
    (response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Hello"),
  ]);
  expect(await failure(page.client.events.stream().next())).toBeInstanceOf(
    sdk.UnexpectedResponseError,
  );
  const full = await clientOf([problem(409, "limit-reached")]);
  expect(await failure(full.client.events.stream().next())).toBeInstanceOf(sdk.LimitReachedError);
});

test("an abort ends a stream that waits, with the signal's reason", async () => {
  const { client } = await clientOf([
    (response) => void response.writeHead(200, streamHead).write("id: evt_0\n\n"),
  ]);
  const stop = new AbortController();
  const waiting = client.events.stream({}, { signal: stop.signal }).next();
  const reason = new Error("no longer needed");
  stop.abort(reason);
  expect(await failure(waiting)).toBe(reason);
});

test("a signal that is already aborted connects to nothing", async () => {
  const { client, receiver } = await clientOf([stream(message("evt_1"))]);
  const reason = new Error("no longer needed");
  const events = client.events.stream({}, { signal: AbortSignal.abort(reason) });
  expect(await failure(events.next())).toBe(reason);
  expect(receiver.requests).toEqual([]);
});

test("after an abort, events that arrived before it are not returned", async () => {
  const { client } = await clientOf([stream(message("evt_1") + message("evt_2"))]);
  const stop = new AbortController();
  const events = client.events.stream({}, { signal: stop.signal });
  expect((await events.next()).value.id).toBe("evt_1");
  const reason = new Error("no longer needed");
  stop.abort(reason);
  expect(await failure(events.next())).toBe(reason);
});

test.each([2 ** 31, Number.POSITIVE_INFINITY])(
  "a timeout of %d means no timeout",
  async (timeout) => {
    const { client, receiver } = await clientOf([
      (response) =>
        void setTimeout(() => response.writeHead(200, streamHead).write(message("evt_1")), 100),
    ]);
    const events = client.events.stream({}, { timeout, maxRetries: 0 });
    expect(await collect(events, 1)).toEqual(["evt_1"]);
    expect(receiver.requests).toHaveLength(1);
  },
);

test("against the API: every event in order, across a revoked connection, and the error of a revoked key", async () => {
  const tenant = await newTenant();
  const client = new sdk.Parlance(tenant.key, { baseUrl: baseUrl() });
  const events = client.events.stream({ cursor: "start", types: ["customer.created"] });
  const names = ["Ada", "Grace", "Edsger"];
  const found: string[] = [];
  for (const name of names) {
    await call(tenant, "POST", "/customers", { name });
    const { value } = await events.next();
    if (value.type === "customer.created") found.push(value.data.object.name ?? "");
  }
  expect(found).toEqual(names);
  await feedShowsAll(tenant);

  const waiting = failure(events.next());
  await mutate(tenant.identity, (caller) => revokeApiKey(caller, tenant.keyId));
  expect(await waiting).toBeInstanceOf(sdk.UnauthorizedError);
});
