import { inspect } from "node:util";
import { afterEach, expect, test } from "vitest";
import * as sdk from "@/sdk/src/index";
import { wait } from "@/sdk/src/transport";
import { openHostile } from "../support/gallery";
import { type Receiver, type Respond, startReceiver } from "../support/receiver";

const key = `prl_test_${"k".repeat(40)}`;
const account = { id: "ten_1", name: "Acme" };
const jsonHeaders = { "Content-Type": "application/json", "X-Request-Id": "req_1" };

const ok: Respond = (response) =>
  void response.writeHead(200, jsonHeaders).end(JSON.stringify(account));

function problem(
  status: number,
  kind: string,
  members: object = {},
  headers: Record<string, string> = {},
): Respond {
  const body = {
    type: `https://docs.example/errors/${kind}`,
    title: "A title",
    status,
    detail: "A detail.",
    instance: "/",
    ...members,
  };
  return (response) => {
    response
      .writeHead(status, { ...jsonHeaders, "Content-Type": "application/problem+json", ...headers })
      .end(JSON.stringify(body));
  };
}

const htmlPage: Respond = (response) =>
  void response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad gateway</h1>");
const cutOff: Respond = (response) => {
  response.writeHead(200, { ...jsonHeaders, "Content-Length": "1000" });
  response.write('{"id":');
  setImmediate(() => response.destroy());
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/**
 * A client of a server that gives these responses one after the other, the last one forever; and how
 * long the client waited.
 */
async function clientOf(responses: Respond[], options: sdk.ParlanceOptions = {}) {
  const receiver: Receiver = await startReceiver((response, received) => {
    const next = responses.length > 1 ? responses.shift() : responses[0];
    next?.(response, received);
  });
  closers.push(receiver.close);
  const waitsMs: number[] = [];
  const wait = async (milliseconds: number) => void waitsMs.push(milliseconds);
  return {
    client: new sdk.Parlance(key, { baseUrl: receiver.url, wait, ...options }),
    receiver,
    waitsMs,
  };
}

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("it succeeded"),
    (error) => error,
  );

test("429 with Retry-After is retried after that time, and no earlier", async () => {
  const { client, receiver, waitsMs } = await clientOf([
    problem(429, "rate-limited", {}, { "Retry-After": "7" }),
    ok,
  ]);

  expect(await client.account.get()).toEqual(account);
  expect(receiver.requests).toHaveLength(2);
  expect(waitsMs).toHaveLength(1);
  expect(waitsMs[0]).toBeGreaterThanOrEqual(7_000);
  expect(waitsMs[0]).toBeLessThan(8_000);
});

test("429 with a date in Retry-After is retried at that time", async () => {
  const startedAt = Date.now();
  // A date has whole seconds.
  const date = new Date(startedAt + 20_000).toUTCString();
  const { client, waitsMs } = await clientOf([
    problem(429, "rate-limited", {}, { "Retry-After": date }),
    ok,
  ]);

  await client.account.get();
  expect(waitsMs[0]).toBeGreaterThanOrEqual(19_000 - (Date.now() - startedAt));
  expect(waitsMs[0]).toBeLessThan(21_000);
});

test("429 with a wait of more than a minute is thrown immediately, with its retryAfter", async () => {
  const { client, receiver, waitsMs } = await clientOf([
    problem(429, "rate-limited", {}, { "Retry-After": "61" }),
  ]);

  const error = await failure(client.account.get());
  expect(error).toBeInstanceOf(sdk.RateLimitedError);
  expect(error).toMatchObject({ status: 429, kind: "rate-limited", retryAfter: 61 });
  expect(receiver.requests).toHaveLength(1);
  expect(waitsMs).toEqual([]);
});

test("500, then 200 succeeds, with the same idempotency key and body in both attempts", async () => {
  const { client, receiver } = await clientOf([problem(500, "internal"), ok]);

  await client.conversations.create({ channelId: "web", message: "Hello" });
  const [first, second] = receiver.requests;
  expect(first?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
  expect(second?.body).toBe(first?.body);
});

test("each mutation has its own idempotency key, or the caller's, and reads have none", async () => {
  const { client, receiver } = await clientOf([ok]);

  await client.customers.create({ name: "Ada" });
  await client.customers.create({ name: "Ada" });
  await client.customers.create({ name: "Ada" }, { idempotencyKey: "order-17" });
  await client.customers.update("cus_1", { name: "Ada" });
  await client.webhooks.delete("whk_1");
  await client.customers.get("cus_1");
  const keys = receiver.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[2]).toBe("order-17");
  expect(keys[5]).toBeUndefined();
  expect(new Set(keys).size).toBe(6);
});

test("waits grow from half a second, with jitter, and there is no third retry", async () => {
  const { client, receiver, waitsMs } = await clientOf([problem(503, "unavailable")]);

  const error = await failure(client.account.get());
  expect(error).toBeInstanceOf(sdk.UnavailableError);
  expect(receiver.requests).toHaveLength(3);
  expect(waitsMs).toHaveLength(2);
  const [first = 0, second = 0] = waitsMs;
  expect(first).toBeGreaterThanOrEqual(250);
  expect(first).toBeLessThanOrEqual(500);
  expect(second).toBeGreaterThanOrEqual(500);
  expect(second).toBeLessThanOrEqual(1_000);
});

test("409 is retried only while the first request is still running", async () => {
  const running = await clientOf([
    problem(409, "idempotency-in-progress", {}, { "Retry-After": "1" }),
    ok,
  ]);
  await running.client.conversations.create({ channelId: "web" });
  expect(running.receiver.requests).toHaveLength(2);
  expect(running.waitsMs[0]).toBeGreaterThanOrEqual(1_000);

  const taken = await clientOf([problem(409, "conflict", { existingId: "cus_1" })]);
  expect(await failure(taken.client.customers.create({ externalId: "a" }))).toMatchObject({
    name: "ConflictError",
    existingId: "cus_1",
  });
  expect(taken.receiver.requests).toHaveLength(1);
});

test.each([400, 401, 403, 404, 405, 413, 415, 422])("%i is not retried", async (status) => {
  const { client, receiver } = await clientOf([problem(status, "validation")]);

  expect(await failure(client.account.get())).toMatchObject({ status });
  expect(receiver.requests).toHaveLength(1);
});

test("a connection that breaks in the middle of the response is retried with the same key", async () => {
  const { client, receiver } = await clientOf([cutOff, ok]);

  expect(await client.conversations.create({ channelId: "web" })).toEqual(account);
  const keys = receiver.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
});

test("a connection that always breaks before a response is a ConnectionError with its cause", async () => {
  const server = await openHostile("closes without a word");
  closers.push(server.close);
  const client = new sdk.Parlance(key, { baseUrl: server.url, wait: async () => {} });

  const error = await failure(client.account.get());
  expect(error).toBeInstanceOf(sdk.ConnectionError);
  expect(error).not.toBeInstanceOf(sdk.TimeoutError);
  expect(error.message).toMatch(
    /^GET http:\/\/127\.0\.0\.1:\d+\/v1\/public\/account got no response: UND_ERR_SOCKET$/,
  );
  expect(error.cause).toBeInstanceOf(TypeError);
});

test("a host where nothing listens is a ConnectionError that says so", async () => {
  const receiver = await startReceiver();
  await receiver.close();
  const error = await failure(
    new sdk.Parlance(key, { baseUrl: receiver.url, maxRetries: 0 }).account.get(),
  );
  expect(error.message).toMatch(/got no response: ECONNREFUSED$/);
});

test("an HTML page of a proxy is retried, and then an error that shows none of it", async () => {
  const { client, receiver } = await clientOf([htmlPage]);

  const error = await failure(client.account.get());
  expect(error).toBeInstanceOf(sdk.UnexpectedResponseError);
  expect(error).toMatchObject({
    status: 502,
    kind: "unexpected-response",
    errors: [],
    requestId: null,
  });
  expect(error.message).toBe(
    "502 unexpected-response: The response does not come from the API. Its media type is text/html.",
  );
  expect(receiver.requests).toHaveLength(3);
});

test("200 with a page in it, and a redirect, are errors and not data", async () => {
  const page = await clientOf([
    (response) =>
      void response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>Log in</h1>"),
  ]);
  expect(await failure(page.client.account.get())).toMatchObject({
    name: "UnexpectedResponseError",
    status: 200,
  });
  expect(page.receiver.requests).toHaveLength(1);

  const redirect = await clientOf([
    (response) => void response.writeHead(301, { Location: "/elsewhere" }).end(),
  ]);
  expect(await failure(redirect.client.conversations.create({ channelId: "web" }))).toMatchObject({
    status: 301,
  });
  expect(redirect.receiver.requests).toHaveLength(1);
});

test.each([
  "null",
  "[]",
  '"text"',
  '{"type":7}',
  '{"type":"https://x/errors/validation"}',
  '{"type":"https://x/errors/__proto__","detail":"d"}',
])("422 with the body %s is an ApiError", async (body) => {
  const { client } = await clientOf([
    (response) => void response.writeHead(422, jsonHeaders).end(body),
  ]);
  const error = await failure(client.account.get());
  expect(error).toBeInstanceOf(sdk.ApiError);
  expect(error).toMatchObject({ status: 422, requestId: "req_1", errors: [] });
});

test("an error kind that is newer than the client is an ApiError with that kind", async () => {
  const { client } = await clientOf([problem(409, "too-modern")]);
  const error = await failure(client.account.get());
  expect(error).toMatchObject({
    name: "ApiError",
    kind: "too-modern",
    status: 409,
    detail: "A detail.",
  });
});

test("a response that starts and does not end in time is a TimeoutError, after as many attempts as any other", async () => {
  const { client, waitsMs } = await clientOf(
    [(response) => void response.writeHead(200, jsonHeaders).write('{"id":')],
    { timeout: 40 },
  );

  const error = await failure(client.account.get());
  expect(error).toBeInstanceOf(sdk.TimeoutError);
  expect(error).toMatchObject({ timeoutMs: 40, message: "No complete response within 40 ms." });
  expect(waitsMs).toHaveLength(2);
});

test("the timeout and retries of a call override those of the client", async () => {
  const { client, waitsMs } = await clientOf([() => {}], { timeout: 60_000 });

  const error = await failure(client.account.get({ timeout: 20, maxRetries: 1 }));
  expect(error).toMatchObject({ name: "TimeoutError", timeoutMs: 20 });
  expect(waitsMs).toHaveLength(1);
});

test("an infinite timeout means no timeout", async () => {
  const { client } = await clientOf([ok]);
  expect(await client.account.get({ timeout: Number.POSITIVE_INFINITY })).toEqual(account);
});

test("an abort ends an attempt with the signal's reason and is not retried", async () => {
  const { client, receiver } = await clientOf([() => {}]);
  const controller = new AbortController();
  const promise = failure(client.account.get({ signal: controller.signal }));
  await receiver.received(1);

  const reason = new Error("the user left");
  controller.abort(reason);
  expect(await promise).toBe(reason);
  expect(receiver.requests).toHaveLength(1);
});

test("an abort ends the wait for the next attempt", async () => {
  const controller = new AbortController();
  const waitAndAbort: sdk.Wait = (milliseconds, signal) => {
    setImmediate(() => controller.abort());
    return wait(milliseconds, signal);
  };
  const responses = [problem(429, "rate-limited", {}, { "Retry-After": "50" })];
  const { client, receiver } = await clientOf(responses, { wait: waitAndAbort });

  expect(await failure(client.account.get({ signal: controller.signal }))).toMatchObject({
    name: "AbortError",
  });
  expect(receiver.requests).toHaveLength(1);
});

test("a signal that is already aborted sends nothing", async () => {
  const { client, receiver } = await clientOf([ok]);
  expect(await failure(client.account.get({ signal: AbortSignal.abort() }))).toMatchObject({
    name: "AbortError",
  });
  expect(receiver.requests).toEqual([]);
});

test.each(["", "..", ".", "cnv_1/messages", "cnv_1?x", "cnv%2f", undefined as unknown as string])(
  "an id that would change the path is refused before anything is sent: %s",
  async (id) => {
    const { client, receiver } = await clientOf([ok]);
    expect(await failure(client.conversations.get(id))).toMatchObject({
      name: "ParlanceError",
      message: /^conversationId is no id/,
    });
    expect(receiver.requests).toEqual([]);
  },
);

test("an idempotency key that cannot be a header is refused before anything is sent", async () => {
  const { client, receiver } = await clientOf([ok]);
  expect(
    await failure(client.conversations.create({ channelId: "web" }, { idempotencyKey: "a\nb" })),
  ).toBeInstanceOf(TypeError);
  expect(receiver.requests).toEqual([]);
});

test("an empty idempotency key is sent for the API to refuse, and not treated as missing", async () => {
  const { client, receiver } = await clientOf([ok]);
  await client.conversations.create({ channelId: "web" }, { idempotencyKey: "" });
  expect(receiver.requests[0]?.headers["idempotency-key"]).toBe("");
});

test("a page whose cursor leads to itself ends the iteration", async () => {
  const page = JSON.stringify({ data: [{ id: "cnv_1" }], nextCursor: "cnv_1" });
  const { client, receiver } = await clientOf([
    (response) => void response.writeHead(200, jsonHeaders).end(page),
  ]);

  const found: string[] = [];
  const iterate = async () => {
    for await (const { id } of client.conversations.list()) found.push(id);
  };
  expect(await failure(iterate())).toMatchObject({ message: "The page at cnv_1 leads to itself." });
  expect(receiver.requests).toHaveLength(2);
});

test("a failure that is handled in one way is not an unhandled rejection in another", async () => {
  const unhandled: unknown[] = [];
  const remember = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", remember);
  const { client } = await clientOf([problem(404, "not-found")]);

  await failure(client.conversations.get("cnv_1").withResponse());
  await failure(client.conversations.list().withResponse());
  await failure(client.conversations.list().toArray({ limit: 10 }));
  await failure(client.conversations.list().pages()[Symbol.asyncIterator]().next());
  await failure(client.conversations.list()[Symbol.asyncIterator]().next());
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", remember);
  expect(unhandled).toEqual([]);
});

test("the API key appears neither in the client nor in an error", async () => {
  const { client } = await clientOf([problem(401, "unauthorized")]);
  const error = await failure(client.account.get());
  const shown = [client, error].map(
    (value) => inspect(value, { depth: 10, showHidden: true }) + JSON.stringify(value),
  );
  expect(shown.join("")).not.toContain("kkkk");
});

test.each([undefined, "", "prl_test_", "sk_something", "prl_prod_abc", "Bearer prl_test_abc"])(
  "%s is refused as an API key",
  (text) => {
    expect(() => new sdk.Parlance(text)).toThrow(sdk.ParlanceError);
  },
);

test("the environment is that of the key", () => {
  expect(new sdk.Parlance("prl_live_abc").environment).toBe("live");
  expect(new sdk.Parlance("my_own_prefix_test_abc").environment).toBe("test");
});

test("the base URL comes from the option, then from the environment, then is localhost", async () => {
  const urls: string[] = [];
  const fetch = async (url: URL | RequestInfo) => {
    urls.push(String(url));
    return Response.json(account);
  };
  await new sdk.Parlance(key, { fetch }).account.get();
  process.env.PARLANCE_BASE_URL = "https://env.example/";
  await new sdk.Parlance(key, { fetch }).account.get();
  await new sdk.Parlance(key, { fetch, baseUrl: "https://option.example/below//" }).account.get();
  delete process.env.PARLANCE_BASE_URL;
  expect(urls).toEqual([
    "http://localhost:3000/v1/public/account",
    "https://env.example/v1/public/account",
    "https://option.example/below/v1/public/account",
  ]);
});

test("200 with JSON that ends early is retried, with the same idempotency key", async () => {
  const early: Respond = (response) =>
    void response.writeHead(200, jsonHeaders).end('{"id":"ten_1","na');
  const { client, receiver } = await clientOf([early, ok]);
  expect(await client.customers.create({ name: "Ada" })).toEqual(account);
  const [first, second] = receiver.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(second).toBe(first);

  const always = await clientOf([early]);
  const error = await failure(always.client.account.get());
  expect(error).toBeInstanceOf(sdk.ConnectionError);
  expect(error.message).toContain("incomplete");
  expect(always.receiver.requests).toHaveLength(3);
});

test("408 is retried", async () => {
  const { client, receiver } = await clientOf([problem(408, "request-timeout"), ok]);
  expect(await client.account.get()).toEqual(account);
  expect(receiver.requests).toHaveLength(2);
});

test.each([
  "localhost:4350",
  "parlance.example.com",
  "ftp://example.com",
  "https://example.com?x=1",
  "https://example.com/#x",
  "",
])("%j as baseUrl is refused with an example of a good one", (baseUrl) => {
  expect(() => new sdk.Parlance(key, { baseUrl })).toThrow(
    /must be an http or https URL such as https:/,
  );
});

test.each(["", "/", "/v1", "/v1/public", "/v1/public/"])(
  "a baseUrl that ends with %j leads to the API",
  async (suffix) => {
    const { receiver } = await clientOf([ok]);
    await new sdk.Parlance(key, { baseUrl: `${receiver.url}${suffix}` }).account.get();
    await new sdk.Parlance(key, { baseUrl: `${receiver.url}/prefix${suffix}` }).account.get();
    expect(receiver.requests.map(({ path }) => path)).toEqual([
      "/v1/public/account",
      "/prefix/v1/public/account",
    ]);
  },
);

test("hooks and the logger see each attempt, and a header that a hook sets is sent", async () => {
  const lines: string[] = [];
  const seen: sdk.ReceivedResponse[] = [];
  const { client, receiver } = await clientOf([problem(500, "internal"), cutOff, ok], {
    defaultHeaders: { "X-Team": "support", Authorization: "Bearer other" },
    logger: { debug: (line) => void lines.push(line) },
    onRequest: ({ headers, attempt }) => headers.set("X-Attempt", String(attempt)),
    onResponse: (received) => void seen.push(received),
  });
  await client.customers.list({ email: "ada@example.com" });

  expect(seen.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 500],
    [2, undefined],
    [3, 200],
  ]);
  expect(seen[1]?.error).toBeInstanceOf(sdk.ConnectionError);
  const sent = receiver.requests.map(({ headers }) => headers);
  expect(sent.map((headers) => headers["x-attempt"])).toEqual(["1", "2", "3"]);
  expect(sent[0]).toMatchObject({ "x-team": "support", authorization: `Bearer ${key}` });
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^GET \/v1\/public\/customers 200 \d+ ms, attempt 3 req_1$/);
});

test("a hook or a logger that fails after the response does not change the outcome of the call", async () => {
  let calls = 0;
  const { client, receiver } = await clientOf([ok, problem(404, "not-found")], {
    logger: {
      debug: () => {
        calls += 1;
        throw new Error("the disk is full");
      },
    },
  });
  expect(await client.account.get()).toEqual(account);
  expect(await failure(client.account.get())).toBeInstanceOf(sdk.NotFoundError);
  expect(calls).toBe(2);
  expect(receiver.requests).toHaveLength(2);
});

test("default headers in any case cannot replace or double the client's own", async () => {
  const { client, receiver } = await clientOf([ok, ok], {
    defaultHeaders: { authorization: "Bearer other", "content-type": "text/plain" },
  });
  await client.account.get();
  await client.request("POST", "/new-things", { body: {} });
  const sent = receiver.requests.map(({ headers }) => headers);
  expect(sent[0]?.authorization).toBe(`Bearer ${key}`);
  expect(sent[0]?.["content-type"]).toBeUndefined();
  expect(sent[1]?.["content-type"]).toBe("application/json");
});

test("a path with a space is not cut off there", async () => {
  const { client, receiver } = await clientOf([ok]);
  await client.request("DELETE", "/customers/by-external-id/ada lovelace");
  expect(receiver.requests[0]?.path).toBe("/v1/public/customers/by-external-id/ada%20lovelace");
});

test("an operation without a method is called with the same retries, key and errors", async () => {
  const { client, receiver } = await clientOf([problem(500, "internal"), ok]);
  const made = await client.request<{ id: string }>("POST", "/new-things", {
    query: { order: "asc" },
    body: { name: "Ada" },
  });
  expect(made.id).toBe(account.id);
  const [first, second] = receiver.requests;
  expect(second).toMatchObject({ path: "/v1/public/new-things?order=asc", body: first?.body });
  expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
});

test("an unexpected response has its body as text, which is not printed with the error", async () => {
  const { client } = await clientOf([htmlPage]);
  const error = (await failure(client.account.get())) as sdk.UnexpectedResponseError;
  expect(error.rawResponse).toBe("<h1>Bad gateway</h1>");
  expect(inspect(error)).not.toContain("<h1>");
});
