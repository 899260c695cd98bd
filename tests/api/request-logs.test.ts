import { expect, test, vi } from "vitest";
import { findKey } from "@/lib/api-keys/key-cache";
import { hashKey } from "@/lib/api-keys/key-format";
import { reader } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { maskSecrets, maskSecretsInBody } from "@/lib/request-logs/mask-secrets";
import { flushRequestLogs, logRequest } from "@/lib/request-logs/request-log-buffer";
import { maximumScannedRows } from "@/lib/request-logs/schema";
import {
  countRequestHours,
  countRequestHoursOfKeys,
  countRequests,
  errorGroups,
  getRequestLog,
  lastHours,
  listRequestLogs,
  type RequestCount,
} from "@/lib/request-logs/service";
import { firstIdAt, newId } from "@/lib/resources/ids";
import { purgeExpired } from "@/lib/retention/purge-expired";
import {
  call,
  mistyped,
  newKey,
  newTenant,
  type Reply,
  send,
  type TestTenant,
} from "../support/api";
import { growth } from "../support/growth";
import { dropAllWeeks } from "../support/partitions";
import { interceptQueries } from "../support/queries";

const page = { limit: 100, order: "desc" as const };
const logsOf = async (tenant: TestTenant, query: object = {}) =>
  (await listRequestLogs(reader(tenant.identity), { ...page, ...query })).data;

/**
 * The row of a request, once it is written: immediately where the server runs in this process, within a
 * second or two otherwise.
 */
async function logOf(tenant: TestTenant, reply: Reply) {
  await flushRequestLogs();
  const id = reply.headers.get("x-request-id") ?? "";
  await expect.poll(async () => (await logsOf(tenant)).some((row) => row.id === id)).toBe(true);
  return getRequestLog(reader(tenant.identity), id);
}

test("a group of errors has exactly the requests of its operation", async () => {
  const tenant = await newTenant();
  const [one, other] = [newId("conversation"), newId("conversation")];
  for (const path of [one, other, `${one}/messages`, `${one}?x=1`])
    await logOf(tenant, await call(tenant, "GET", `/conversations/${path}`));
  const groups = await errorGroups(reader(tenant.identity), page);
  expect(groups.length).toBeGreaterThanOrEqual(2);
  for (const { operation, errorKind, method, status, count } of groups) {
    const query = { operation, errorKind: errorKind ?? undefined, method, status };
    expect([operation, (await logsOf(tenant, query)).length]).toEqual([operation, count]);
  }
});

test("201 leaves a row with both bodies, its key and its idempotency key", async () => {
  const tenant = await newTenant();
  const body = { name: "Ada", externalId: "c-1" };
  const before = Date.now();

  const reply = await call(tenant, "POST", "/customers", body, { "idempotency-key": '"one"' });

  const row = await logOf(tenant, reply);
  expect(row).toEqual({
    id: reply.headers.get("x-request-id"),
    environment: "test",
    apiKeyId: tenant.keyId,
    method: "POST",
    path: "/v1/public/customers",
    status: 201,
    durationMs: expect.any(Number),
    errorKind: null,
    idempotencyKey: "one",
    address: "127.0.0.1",
    userAgent: "node",
    isReplay: false,
    requestBody: JSON.stringify(body),
    responseBody: reply.text,
    createdAt: expect.any(String),
  });
  expect(row.durationMs).toBeGreaterThanOrEqual(0);
  expect(Date.parse(row.createdAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(row.createdAt)).toBeLessThanOrEqual(Date.now());
});

test("200 of a read leaves a row with its query and without the response, which can be read again", async () => {
  const tenant = await newTenant();
  const reply = await call(tenant, "GET", "/customers?limit=5");
  const head = await call(tenant, "HEAD", "/customers");
  const expected = {
    path: "/v1/public/customers?limit=5",
    status: 200,
    requestBody: null,
    responseBody: null,
    idempotencyKey: null,
  };
  expect(await logOf(tenant, reply)).toMatchObject(expected);
  expect(await logOf(tenant, head)).toMatchObject({ method: "HEAD", status: 200 });
});

test.each<[number, string, string, string, unknown, Record<string, string>]>([
  [400, "malformed-request", "POST", "/customers", '{"name": Ada}', {}],
  [404, "not-found", "GET", "/customers/cus_00000000000000000000000000", undefined, {}],
  [404, "not-found", "GET", "/nothing", undefined, {}],
  [405, "method-not-allowed", "DELETE", "/customers", undefined, {}],
  [415, "unsupported-media-type", "POST", "/customers", "{}", { "content-type": "text/plain" }],
  [422, "validation", "POST", "/customers", { age: 3 }, {}],
  [422, "invalid-cursor", "GET", "/customers?cursor=x", undefined, {}],
])(
  "%i %s leaves a row with its kind and the problem (%s %s)",
  async (status, errorKind, method, path, body, headers) => {
    const tenant = await newTenant();
    const reply = await call(tenant, method, path, body, headers);
    const row = await logOf(tenant, reply);
    expect(row).toMatchObject({ status, errorKind, method, path: `/v1/public${path}` });
    expect(JSON.parse(row.responseBody ?? "")).toMatchObject({ status, requestId: row.id });
    // A body of another type is not read, and therefore not stored.
    if (body !== undefined && status !== 415)
      expect(row.requestBody).toBe(typeof body === "string" ? body : JSON.stringify(body));
  },
);

test("403 and 429 leave a row, 401 leaves none for anyone", async () => {
  const tenant = await newTenant({ scopes: ["read:usage"], rateLimitPerMinute: 1 });
  const refused = await call(tenant, "GET", "/customers");
  const limited = await call(tenant, "GET", "/customers");
  expect((await logOf(tenant, limited)).errorKind).toBe("rate-limited");
  expect((await logOf(tenant, refused)).errorKind).toBe("insufficient-scope");

  const unknown = await send("/v1/public/customers", {
    headers: { authorization: `Bearer ${mistyped(tenant.key)}` },
  });
  await logOf(tenant, await call(await newKey(tenant), "GET", "/account"));
  expect(
    await db().requestLog.count({ where: { id: unknown.headers.get("x-request-id") ?? "" } }),
  ).toBe(0);
});

test("a replay has its own row, with the kind of the stored response", async () => {
  const tenant = await newTenant();
  const body = { channelId: "web", customerId: newId("customer") };
  const first = await call(tenant, "POST", "/conversations", body, { "idempotency-key": "one" });
  const second = await call(tenant, "POST", "/conversations", body, { "idempotency-key": "one" });
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  const [row, replayed] = [await logOf(tenant, first), await logOf(tenant, second)];
  expect(replayed.id).not.toBe(row.id);
  expect([row.errorKind, replayed.errorKind, replayed.responseBody]).toEqual([
    "not-found",
    "not-found",
    row.responseBody,
  ]);
  expect([row.isReplay, replayed.isReplay]).toEqual([false, true]);
});

test("one row for each of 500 concurrent requests, and each tenant sees only its own", async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const live = await newKey(tenant, { environment: "live" });
  const replies = await Promise.all(
    Array.from({ length: 500 }, (_, index) => call(index % 2 ? tenant : other, "GET", "/account")),
  );

  const idsOf = (parity: number) =>
    replies
      .filter((_, index) => index % 2 === parity)
      .map(({ headers }) => headers.get("x-request-id") ?? "");
  const allOf = async (owner: TestTenant) => {
    const rows = await db().requestLog.findMany({
      where: owner.identity.partition,
      select: { id: true },
    });
    return rows.map(({ id }) => id).toSorted();
  };
  await expect.poll(() => allOf(tenant)).toEqual(idsOf(1).toSorted());
  await expect.poll(() => allOf(other)).toEqual(idsOf(0).toSorted());
  expect(await allOf(live)).toEqual([]);
  await expect(getRequestLog(reader(live.identity), idsOf(1)[0] ?? "")).rejects.toMatchObject({
    kind: "not-found",
  });
  await expect(getRequestLog(reader(other.identity), idsOf(1)[0] ?? "")).rejects.toMatchObject({
    kind: "not-found",
  });
});

test("a long body is truncated, only in the log", async () => {
  const tenant = await newTenant();
  const { status, body } = await call(tenant, "POST", "/agents", { name: "Long" });
  expect(status).toBe(201);
  const instructions = "ä".repeat(32_000);
  const reply = await call(tenant, "PATCH", `/agents/${body.id}`, { instructions });
  expect(reply.body.instructions).toBe(instructions);
  const row = await logOf(tenant, reply);
  expect(row.requestBody?.startsWith('{"instructions":"ää')).toBe(true);
  expect(Buffer.byteLength(row.requestBody ?? "")).toBeLessThanOrEqual(16 * 1_024 + 3);
  expect(row.responseBody?.length).toBe(16 * 1_024);
});

test("a body with a NUL character is refused, and logged without it", async () => {
  const tenant = await newTenant();
  const reply = await call(tenant, "POST", "/customers", '{"name":"a\0b"}');
  expect(reply.status).toBe(400);
  expect((await logOf(tenant, reply)).requestBody).toBe('{"name":"a\ufffdb"}');
});

test("no row contains a secret of a request or a response", async () => {
  const tenant = await newTenant();
  const another = await newKey(tenant);
  const url = "https://example.com/hook";
  const created = await call(
    tenant,
    "POST",
    "/webhooks",
    { url, events: ["*"] },
    { "idempotency-key": "secret" },
  );
  const replayed = await call(
    tenant,
    "POST",
    "/webhooks",
    { url, events: ["*"] },
    { "idempotency-key": "secret" },
  );
  const rotated = await call(tenant, "POST", `/webhooks/${created.body.id}/rotate-secret`);
  const secret: string = created.body.secret;
  expect(secret).toMatch(/^whsec_/);
  expect([replayed.body.secret, rotated.status]).toEqual([secret, 200]);

  const hunter = "hunter2-Zq8vX4";
  const unicode = [...secret]
    .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
  const requests: [path: string, body?: unknown, headers?: Record<string, string>][] = [
    ["/customers", { name: `my key is ${another.key}, thanks` }],
    [
      "/customers",
      {
        name: "Ada",
        metadata: {
          apiKey: hunter,
          signingSecret: hunter,
          "x-api-key": hunter,
          access_token: hunter,
        },
      },
    ],
    ["/customers", `{"name":"${unicode}"}`],
    ["/customers", `{"\\u0073ecret":"${hunter}"}`],
    ["/customers", `{"password": ${hunter}}`],
    ["/customers", `{"secret":"\\"${hunter}`],
    ["/customers", `{"secret":["${hunter}"],"password":{"value":"${hunter}"}`],
    ["/customers", { name: JSON.stringify({ secret: hunter }) }],
    ["/customers", { secret: hunter }],
    ["/customers", `${"x".repeat(16 * 1_024 - 20)}${secret}`],
    ["/customers", `${" ".repeat(16 * 1_024 - 30)}{"name":"${another.key}"}`],
    ["/webhooks", { url, events: ["*"], secret }],
    ["/webhooks", { url, events: [secret] }],
    ["/webhooks", { url: `https://ops:${hunter}@example.com/in`, events: ["*"] }],
    ["/webhooks", `${" ".repeat(16 * 1_024 - 40)}{"url":"https://ops:${hunter}@example.com/"}`],
    ["/customers", { name: `https://example.com/?token=a\\"${hunter}` }],
    [`/customers?token=${hunter}&secret=${secret}&key=${another.key}`, {}],
    [`/conversations/${secret}/messages`, { text: secret }],
    ["/customers", { name: "Ada" }, { "idempotency-key": another.key }],
    ["/customers", { name: "Ada" }, { "user-agent": `agent/1.0 (${secret})` }],
  ];
  const replies = [created, replayed, rotated];
  for (const [path, body, headers] of requests)
    replies.push(await call(tenant, "POST", path, body, headers));
  for (const reply of replies) await logOf(tenant, reply);

  const rows = await db().requestLog.findMany({ where: tenant.identity.partition });
  expect(rows.length).toBe(replies.length);
  const text = JSON.stringify(rows);
  const secrets: string[] = [secret, rotated.body.secret, tenant.key, another.key, hunter, unicode];
  for (const value of secrets) {
    // Nor most of one, which a truncated body could end with.
    for (const part of [value, value.slice(0, 24), value.slice(-24), value.slice(7, 27)])
      expect(text).not.toContain(part);
  }
  expect(text).toContain("whsec_[masked]");
  expect(text).toContain("[masked]");
});

test.each([
  [
    '{"secretHint":"whsec_…abcd","tokenCount":3}',
    '{"secretHint":"whsec_[masked]…abcd","tokenCount":3}',
  ],
  ['{"previousSecretExpiresAt":null}', '{"previousSecretExpiresAt":null}'],
  [
    '{"a":"x_test_1","b":"line\\n\\"quoted\\" \\\\u0041"}',
    '{"a":"x_test_1","b":"line\\n\\"quoted\\" \\\\u0041"}',
  ],
  [
    '{"url":"http://127.0.0.1:4001/in?token=abc","description":"kept","more":"http://a:b@c"}',
    '{"url":"http://127.0.0.1:4001/in?token=[masked]","description":"kept","more":"http://a:[masked]@c"}',
  ],
  [
    '{"text":"See https://x.example/?token=abc&page=2 for the order at ada@x.example"}',
    '{"text":"See https://x.example/?token=[masked]&page=2 for the order at ada@x.example"}',
  ],
])("text of a body that is not a secret stays: %s", (text, expected) => {
  expect(maskSecretsInBody(text)).toBe(expected);
});

test.each([
  ["/v1/public/customers?limit=5&order=asc", "/v1/public/customers?limit=5&order=asc"],
  ['/v1/public/x?token=a%20b "c"&page=2', "/v1/public/x?token=[masked]&page=2"],
  [
    "/v1/public/x?metadata[api_key]=abc&metadata%5b_token%5D=abc&metadata[plan]=gold",
    "/v1/public/x?metadata[api_key]=[masked]&metadata%5b_token%5D=[masked]&metadata[plan]=gold",
  ],
  ["/v1/public/x?url=http://127.0.0.1:4001", "/v1/public/x?url=http://127.0.0.1:4001"],
  ["/v1/public/x?url=http://a:b@c:80/", "/v1/public/x?url=http://a:[masked]@c:80/"],
])("text of a path that is not a secret stays: %s", (text, expected) => {
  expect(maskSecrets(text)).toBe(expected);
});

test.each([
  ...['"', '"secret":', "_test_", "a-", "\\", ', \\"', '"token":"\\', "&secret"],
  ...["&secret=", "//", "//a:", ":@", "a@"],
])("masking %j repeated many times takes linear time", (part) => {
  for (const mask of [maskSecrets, maskSecretsInBody])
    expect(growth((size) => mask(`"${part.repeat(size / part.length)}`), 16_384)).toBeLessThan(24);
});

/** Runs `work` while the log cannot be written. */
async function whileLogIsLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const connection = await pool().connect();
  try {
    await connection.query("BEGIN; LOCK TABLE request_logs IN EXCLUSIVE MODE");
    return await work();
  } finally {
    await connection.query("ROLLBACK");
    connection.release();
  }
}

test("200 while the log cannot be written, and the log contains the requests afterwards", async () => {
  const tenant = await newTenant();
  // A request that waited for the lock would wait forever: the lock is released after all
  // responses.
  const replies = await whileLogIsLocked(async () => {
    const received: Reply[] = [];
    for (let batch = 0; batch < 18; batch++)
      received.push(
        ...(await Promise.all(Array.from({ length: 25 }, () => call(tenant, "GET", "/account")))),
      );
    return received;
  });

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  await flushRequestLogs();
  const count = () => db().requestLog.count({ where: tenant.identity.partition });
  await expect.poll(count).toBe(450);
});

/** Returns a function that logs a request of the tenant, without sending one. */
async function logger(tenant: TestTenant) {
  const key = await findKey(hashKey(tenant.key));
  if (!key) throw new Error("the key is not known");
  return (responseBody: string | null) =>
    logRequest({
      ...{ id: newId("request"), key, method: "POST", path: "/", status: 200, durationMs: 1 },
      ...{ idempotencyKey: null, address: "127.0.0.1", userAgent: null, isReplay: false },
      ...{ requestBody: null, responseBody, startedAt: new Date() },
    });
}

test("the queue of the log is bounded, in rows and in bytes", async () => {
  const tenant = await newTenant();
  const log = await logger(tenant);
  const count = () => db().requestLog.count({ where: tenant.identity.partition });

  await flushRequestLogs();
  await whileLogIsLocked(async () => {
    // The first two hundred are being written, and count too.
    for (let index = 0; index < 10_000; index++) log(null);
  });
  await flushRequestLogs();
  expect(await count()).toBe(5_000);

  // Of each body, 16 KiB are kept. While the database is away, no attempt to write makes room.
  const body = " ".repeat(256 * 1_024);
  const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
  const connect = vi.spyOn(pool(), "connect").mockRejectedValue(away);
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 1_000; index++) log(body);
    await flushRequestLogs();
  }
  connect.mockRestore();
  await flushRequestLogs();
  expect(await count()).toBe(5_000 + 1_024);
});

test("a request that waits too long for a connection is logged without what it said", async () => {
  const tenant = await newTenant();
  const log = await logger(tenant);
  const connect = pool().connect.bind(pool());
  vi.spyOn(pool(), "connect").mockImplementationOnce(() => {
    setCurrentTime(() => new Date(Date.now() + 7_000));
    return connect();
  });
  log('{"text":"said"}');
  await flushRequestLogs();
  setCurrentTime(null);
  const rows = await db().requestLog.findMany({ where: tenant.identity.partition });
  expect(rows).toMatchObject([{ status: 200, responseBody: null }]);
});

test("the list is filtered by key, method, status, kind, path and time, and pages through all rows", async () => {
  const startedMs = Date.now();
  const tenant = await newTenant();
  const second = await newKey(tenant);
  const ids: Record<string, string> = {};
  const requests: [name: string, as: TestTenant, method: string, path: string, body?: object][] = [
    ["list", tenant, "GET", "/customers"],
    ["created", second, "POST", "/customers", { name: "Ada" }],
    ["missing", tenant, "GET", "/agents/agt_00000000000000000000000000"],
    ["invalid", second, "POST", "/customers", {}],
  ];
  for (const [name, as, method, path, body] of requests) {
    const reply = await call(
      as,
      method,
      path,
      body,
      name === "created" ? { "idempotency-key": "first" } : {},
    );
    ids[name] = (await logOf(tenant, reply)).id;
  }
  const found = async (query: object) =>
    (await logsOf(tenant, query)).map(({ id }) =>
      Object.keys(ids).find((name) => ids[name] === id),
    );

  expect(await found({})).toEqual(["invalid", "missing", "created", "list"]);
  expect(await found({ order: "asc" })).toEqual(["list", "created", "missing", "invalid"]);
  expect(await found({ apiKeyId: second.keyId })).toEqual(["invalid", "created"]);
  expect(await found({ method: "GET" })).toEqual(["missing", "list"]);
  expect(await found({ status: 404 })).toEqual(["missing"]);
  expect(await found({ status: 201 })).toEqual(["created"]);
  expect(await found({ status: "2xx", method: "GET" })).toEqual(["list"]);
  expect(await found({ idempotencyKey: "first" })).toEqual(["created"]);
  expect(await found({ idempotencyKey: "second" })).toEqual([]);
  expect(await found({ status: "4xx" })).toEqual(["invalid", "missing"]);
  expect(await found({ status: "5xx" })).toEqual([]);
  expect(await found({ errorKind: "validation" })).toEqual(["invalid"]);
  expect(await found({ path: "/v1/public/agents" })).toEqual(["missing"]);
  expect(
    await found({
      since: new Date(startedMs - 60_000),
      until: new Date(Date.now() + 60_000),
      status: "2xx",
    }),
  ).toEqual(["created", "list"]);
  expect(await found({ since: new Date(Date.now() + 60_000) })).toEqual([]);
  expect(await found({ until: new Date(startedMs - 60_000) })).toEqual([]);

  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const { data, ...rest } = await listRequestLogs(reader(tenant.identity), {
      limit: 3,
      order: "desc",
      cursor,
    });
    paged.push(...data.map(({ id }) => id));
    cursor = "nextCursor" in rest ? rest.nextCursor : undefined;
  } while (cursor);
  expect(paged).toEqual([ids.invalid, ids.missing, ids.created, ids.list]);
});

test("a page of a long log searches a bounded part, and says where the next one continues", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant.identity.partition;
  const yesterday = new Date(Date.now() - 86_400_000);
  const start = firstIdAt("request", yesterday).slice(0, "req_".length + 10);
  const id = (n: number) => start + String(n).padStart(16, "0");
  const insert = (first: number, last: number) => db().$executeRaw`
    INSERT INTO request_logs (tenant_id, environment, id, api_key_id, method, path, status, duration_ms, created_at)
    SELECT ${tenantId}, 'test', ${start} || lpad(n::text, 16, '0'), ${tenant.keyId}, CASE WHEN n = 1 THEN 'DELETE' ELSE 'GET' END,
      '/v1/public/account', 200, 1, ${yesterday}::timestamptz + n * interval '1 second'
    FROM generate_series(${first}::int, ${last}::int) AS n`;
  const find = (query: object) => listRequestLogs(reader(tenant.identity), { ...page, ...query });

  await insert(2, maximumScannedRows + 1);
  expect(await find({ method: "DELETE" })).toEqual({ data: [] });

  await insert(maximumScannedRows + 2, maximumScannedRows + 2);
  await insert(1, 1);
  const first = await find({ method: "DELETE" });
  expect(first).toEqual({
    data: [],
    nextCursor: id(3),
    // The time in that id, without reading its row.
    lookedBackTo: yesterday,
  });
  // A request that is logged during the search does not move its end.
  let searches = 0;
  const repeated = await interceptQueries(
    async (name, send) => {
      if (name.includes("request_logs_") && ++searches === 2)
        await insert(maximumScannedRows + 3, maximumScannedRows + 3);
      return send();
    },
    () => find({ method: "DELETE" }),
  );
  expect(repeated).toEqual(first);
  const second = await find({ method: "DELETE", cursor: first.nextCursor });
  expect(second).toMatchObject({ data: [{ method: "DELETE" }] });
  expect(second.nextCursor).toBeUndefined();
  // If the index finds the row, no other rows are scanned.
  expect((await find({ method: "GET", limit: 10 })).nextCursor).toBe(id(19_993));
});

test("requests are counted by outcome, in equal intervals", async () => {
  const tenant = await newTenant();
  const { partition } = tenant.identity;
  const start = new Date("2026-01-10T00:00:00.000Z");
  const statuses: [minute: number, status: number][] = [
    [0, 200],
    [59, 201],
    [60, 404],
    [61, 500],
    [119, 422],
    [120, 200],
    [-1, 200],
  ];
  await db().requestLog.createMany({
    data: statuses.map(([minute, status]) => {
      const createdAt = new Date(start.getTime() + minute * 60_000);
      return {
        ...partition,
        id: firstIdAt("request", createdAt),
        apiKeyId: tenant.keyId,
        method: "GET",
        path: "/",
        status,
        durationMs: 1,
        createdAt,
      };
    }),
  });

  const counts = await countRequests(reader(tenant.identity), {
    since: start,
    until: new Date("2026-01-10T02:00:00.000Z"),
    parts: 2,
  });

  expect(counts).toEqual([
    { from: start, to: new Date("2026-01-10T01:00:00.000Z"), succeeded: 2, rejected: 0, failed: 0 },
    {
      from: new Date("2026-01-10T01:00:00.000Z"),
      to: new Date("2026-01-10T02:00:00.000Z"),
      succeeded: 0,
      rejected: 2,
      failed: 1,
    },
  ]);
});

test("requests are counted by hour and key when they are logged, separately for each tenant", async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  const second = await newKey(tenant);
  const hours = lastHours(new Date());
  for (const path of ["/account", "/account", "/nothing"])
    await logOf(tenant, await call(tenant, "GET", path));
  await logOf(tenant, await call(second, "GET", "/account"));
  await logOf(stranger, await call(stranger, "GET", "/account"));

  const caller = reader(tenant.identity);
  const nothing = { succeeded: 0, rejected: 0, failed: 0 };
  const total = (counts: Omit<RequestCount, "from" | "to">[]) =>
    counts.reduce<typeof nothing>(
      (sums, { succeeded, rejected, failed }) => ({
        ...{
          succeeded: sums.succeeded + succeeded,
          rejected: sums.rejected + rejected,
          failed: sums.failed + failed,
        },
      }),
      nothing,
    );
  const all = await countRequestHours(caller, {
    since: hours.since,
    until: new Date(hours.until.getTime() + 3_600_000),
    parts: 25,
  });
  expect(all).toHaveLength(25);
  expect(total(all)).toEqual({ succeeded: 3, rejected: 1, failed: 0 });
  expect(total(all.slice(0, 20))).toEqual(nothing);

  const today = {
    since: hours.since,
    until: new Date(hours.until.getTime() + 3_600_000),
    parts: 1,
  };
  expect(total(await countRequests(caller, today, second.keyId))).toEqual({
    succeeded: 1,
    rejected: 0,
    failed: 0,
  });
  const ofKeys = await countRequestHoursOfKeys(
    caller,
    [tenant.keyId, second.keyId, stranger.keyId],
    lastHours(new Date()),
  );
  expect([tenant, second, stranger].map(({ keyId }) => total(ofKeys.get(keyId) ?? []))).toEqual([
    { succeeded: 2, rejected: 1, failed: 0 },
    { succeeded: 1, rejected: 0, failed: 0 },
    nothing,
  ]);
});

test("the first success of a key is recorded once, and a refusal does not count", async () => {
  const tenant = await newTenant();
  const other = await newKey(tenant);
  const firstSuccess = async ({ keyId }: TestTenant) =>
    (
      await db().apiKey.findFirstOrThrow({
        where: { id: keyId },
        select: { firstSucceededAt: true },
      })
    ).firstSucceededAt?.toISOString();
  await logOf(tenant, await call(tenant, "POST", "/conversations", {}));
  await logOf(tenant, await call(tenant, "GET", "/customers/cus_00000000000000000000000000"));
  expect(await firstSuccess(tenant)).toBeUndefined();

  const { createdAt } = await logOf(tenant, await call(tenant, "GET", "/account"));
  expect(await firstSuccess(tenant)).toEqual(createdAt);
  await logOf(tenant, await call(tenant, "GET", "/account"));
  expect(await firstSuccess(tenant)).toEqual(createdAt);
  expect(await firstSuccess(other)).toBeUndefined();
});

test("rows are deleted after 30 days and not before", async () => {
  await dropAllWeeks();
  const tenant = await newTenant();
  const { id } = await logOf(tenant, await call(tenant, "GET", "/account"));
  const { createdAt } = await getRequestLog(reader(tenant.identity), id);
  const purgeAll = async () => {
    while ((await purgeExpired(1_000)) > 0);
  };
  const inDays = (days: number, more = 0) =>
    new Date(Date.parse(createdAt) + days * 24 * 3_600_000 + more);
  try {
    setCurrentTime(() => inDays(30, -1_000));
    await purgeAll();
    expect((await logsOf(tenant)).map((row) => row.id)).toEqual([id]);
    expect(await db().requestHour.count({ where: tenant.identity.partition })).toBe(1);
    setCurrentTime(() => inDays(30, 1_000));
    await purgeAll();
    expect(await logsOf(tenant)).toEqual([]);
    setCurrentTime(() => inDays(31, 3_600_000));
    await purgeAll();
    expect(await db().requestHour.count({ where: tenant.identity.partition })).toBe(0);
  } finally {
    setCurrentTime(null);
  }
});

test("errors are grouped by type and operation, whatever the ids in their paths", async () => {
  const tenant = await newTenant();
  await call(tenant, "GET", "/customers/cus_00000000000000000000000001");
  await call(tenant, "GET", "/customers/cus_00000000000000000000000002");
  await call(tenant, "POST", "/customers", {});
  const last = await call(tenant, "GET", "/account");
  await logOf(tenant, last);
  const groups = await errorGroups(reader(tenant.identity), page);
  expect(
    groups.map(({ errorKind, method, operation, count }) => [errorKind, method, operation, count]),
  ).toEqual([
    ["not-found", "GET", "/v1/public/customers/{id}", 2],
    ["validation", "POST", "/v1/public/customers", 1],
  ]);
  expect(await errorGroups(reader(tenant.identity), { ...page, status: 422 })).toHaveLength(1);
  expect(
    await errorGroups(reader(tenant.identity), { ...page, apiKeyId: tenant.keyId }),
  ).toHaveLength(2);
});
