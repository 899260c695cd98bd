import { beforeAll, expect, test, vi } from "vitest";
import { type Scope, scopes } from "@/lib/api-keys/scopes";
import { updateApiKey } from "@/lib/api-keys/service";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { getRequestLog, listRequestLogs } from "@/lib/request-logs/service";
import { firstIdAt, newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, type Reply, type TestTenant, withoutIds } from "../support/api";

// The operations that read the log. What is in it is tested in request-logs.test.ts.

const idOf = ({ headers }: Reply) => headers.get("x-request-id") ?? "";

/** Resolves when the requests are in the log. */
async function logged({ identity }: TestTenant, ...replies: Reply[]): Promise<string[]> {
  await flushRequestLogs();
  const ids = replies.map(idOf);
  const where = { ...identity.partition, id: { in: ids } };
  await vi.waitUntil(async () => (await db().requestLog.count({ where })) === ids.length, {
    timeout: 120_000,
  });
  return ids;
}

const list = async (as: TestTenant, query = "") =>
  (await call(as, "GET", `/request-logs?limit=100${query}`)).body.data as { id: string }[];
const idsOf = async (as: TestTenant, query = "") => (await list(as, query)).map(({ id }) => id);

let owner: TestTenant;
let second: TestTenant;
/** Requests of `owner` and `second`, by name. */
let ids: Record<"read" | "created" | "missing" | "invalid", string>;

beforeAll(async () => {
  owner = await newTenant();
  second = await newKey(owner);
  const [read = "", created = "", missing = "", invalid = ""] = await logged(
    owner,
    await call(owner, "GET", "/customers"),
    await call(second, "POST", "/customers", { name: "Ada" }, { "idempotency-key": "first" }),
    await call(owner, "GET", "/agents/agt_00000000000000000000000000"),
    await call(second, "POST", "/customers", { secret: "hunter2" }),
  );
  ids = { read, created, missing, invalid };
});

test("200 with the requests that the dashboard shows, and the same fields", async () => {
  const { data } = await listRequestLogs(reader(owner.identity), { limit: 100, order: "desc" });
  const shown = data.filter(({ path }) => !path.startsWith("/v1/public/request-logs"));
  expect(shown.map(({ id }) => id)).toEqual([ids.invalid, ids.missing, ids.created, ids.read]);
  expect(await list(owner)).toEqual(shown);
  const { body } = await call(owner, "GET", `/request-logs/${ids.invalid}`);
  expect(body).toEqual(await getRequestLog(reader(owner.identity), ids.invalid));
  expect(body.requestBody).toBe('{"secret":"[masked]"}');
  expect(JSON.parse(body.responseBody)).toMatchObject({ status: 422, requestId: ids.invalid });
});

test("200 with each filter, in both orders, and page by page", async () => {
  const found = async (query: string) =>
    (await idsOf(owner, query)).map(
      (id) => Object.entries(ids).find(([, value]) => value === id)?.[0],
    );
  expect(await found("&order=asc")).toEqual(["read", "created", "missing", "invalid"]);
  expect(await found(`&apiKeyId=${second.keyId}`)).toEqual(["invalid", "created"]);
  expect(await found("&method=GET")).toEqual(["missing", "read"]);
  expect(await found("&status=404")).toEqual(["missing"]);
  expect(await found("&status=2xx")).toEqual(["created", "read"]);
  expect(await found("&status=4xx")).toEqual(["invalid", "missing"]);
  expect(await found("&errorKind=validation")).toEqual(["invalid"]);
  expect(await found("&idempotencyKey=first")).toEqual(["created"]);
  expect(await found("&path=/v1/public/agents")).toEqual(["missing"]);
  const { createdAt } = (await call(owner, "GET", `/request-logs/${ids.missing}`)).body;
  expect(await found(`&since=${createdAt}&path=/v1/public/agents`)).toEqual(["missing"]);
  expect(await found(`&until=${createdAt}&path=/v1/public/agents`)).toEqual([]);

  const paged: string[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await call(owner, "GET", `/request-logs?limit=3${cursor}`);
    paged.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.nextCursor) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(paged).toEqual([ids.invalid, ids.missing, ids.created, ids.read]);
});

test("200 with a request from its own time on, whenever its id was created", async () => {
  const tenant = await newTenant();
  // What reads the time in another way is 20 ms later.
  const { now } = Date;
  const time = vi.spyOn(Date, "now").mockImplementation(() => now() - 20);
  const reply = await call(tenant, "GET", "/customers").finally(() => time.mockRestore());
  const [id] = await logged(tenant, reply);
  const { createdAt } = (await call(tenant, "GET", `/request-logs/${id}`)).body;
  expect(await idsOf(tenant, `&since=${createdAt}&path=/v1/public/customers`)).toEqual([id]);
});

test.each([
  ["status=40x", "must be a status such as 404, or 2xx, 4xx or 5xx"],
  ["status=3xx", "must be a status such as 404, or 2xx, 4xx or 5xx"],
  ["method=FETCH", "must be"],
  ["apiKeyId=cus_1", "must be an id that starts with key_"],
  ["since=yesterday", "must be"],
  ["errorKind=", "must"],
  ["idempotencyKey=", "must"],
  ["path=", "must"],
  ["key=key_1", "is not a known parameter"],
])("422 for %s", async (query, message) => {
  const reply = await call(owner, "GET", `/request-logs?${query}`);
  expect([reply.status, reply.body.errors]).toEqual([
    422,
    [expect.objectContaining({ location: "query", message: expect.stringContaining(message) })],
  ]);
});

test("200 with the requests of the last 30 days, also after one that retention has deleted", async () => {
  const tenant = await newTenant();
  const nowMs = Date.now();
  const daysAgo = (days: number) => new Date(nowMs - days * 86_400_000);
  const idFrom = (days: number) => firstIdAt("request", daysAgo(days));
  const from = { ...tenant.identity.partition, apiKeyId: tenant.keyId, method: "GET" };
  await db().requestLog.createMany({
    data: [2, 29, 31, 36].map((days) => ({
      ...from,
      ...{ id: idFrom(days), createdAt: daysAgo(days) },
      ...{ path: "/v1/public/customers", status: 200, durationMs: 1 },
    })),
  });
  const [twoDays, lastShown] = [idFrom(2), idFrom(29)];
  const shown = (query = "") => idsOf(tenant, `${query}&path=/v1/public/customers`);
  expect(await shown()).toEqual([twoDays, lastShown]);
  expect(await shown(`&since=${daysAgo(36).toISOString()}`)).toEqual([twoDays, lastShown]);
  expect(await shown("&order=asc")).toEqual([lastShown, twoDays]);

  expect(await shown(`&cursor=${idFrom(3)}`)).toEqual([lastShown]);
  const unknown = await call(tenant, "GET", `/request-logs?cursor=${newId("request")}`);
  expect([unknown.status, unknown.body.type.split("/").at(-1)]).toEqual([422, "invalid-cursor"]);
});

test("a key without every read scope sees its own requests only", async () => {
  const readScopes = scopes.filter((scope) => scope.startsWith("read:"));
  const narrow = await newKey(owner, { scopes: ["read:usage"] });
  const nearly = await newKey(owner, {
    scopes: scopes.filter((scope: Scope) => scope !== "read:knowledge"),
  });
  const full = await newKey(owner, { scopes: readScopes });

  const never = await call(owner, "GET", `/request-logs/${newId("request")}`);
  for (const key of [narrow, nearly]) {
    const [own = ""] = await logged(owner, await call(key, "GET", "/account"));
    expect(await idsOf(key)).toEqual([own]);
    expect(await idsOf(key, `&apiKeyId=${key.keyId}`)).toEqual([own]);
    expect(await idsOf(key, `&apiKeyId=${owner.keyId}`)).toEqual([]);
    expect(await idsOf(key, "&idempotencyKey=first")).toEqual([]);
    expect(await idsOf(key, "&status=4xx&errorKind=validation")).toEqual([]);
    expect((await call(key, "GET", `/request-logs/${own}`)).body.id).toBe(own);
    const hidden = await call(key, "GET", `/request-logs/${ids.created}`);
    expect(hidden.status).toBe(404);
    expect(withoutIds(hidden.body)).toEqual(withoutIds(never.body));
  }
  expect(await idsOf(full)).toEqual(expect.arrayContaining(Object.values(ids)));
  expect((await call(full, "GET", `/request-logs/${ids.created}`)).status).toBe(200);

  await mutate(owner.identity, (caller) =>
    updateApiKey(caller, full.keyId, { scopes: ["read:usage"] }),
  );
  await expect.poll(() => idsOf(full)).not.toContain(ids.created);
  expect((await call(full, "GET", `/request-logs/${ids.created}`)).status).toBe(404);
});

test("another tenant and the other environment see nothing of it, as if it did not exist", async () => {
  const never = await call(owner, "GET", `/request-logs/${newId("request")}`);
  const noCursor = await call(owner, "GET", `/request-logs?cursor=${newId("request")}`);
  expect([never.status, noCursor.status]).toEqual([404, 422]);
  for (const other of [await newTenant(), await newKey(owner, { environment: "live" })]) {
    expect(await list(other)).toEqual([]);
    expect(await list(other, `&apiKeyId=${owner.keyId}`)).toEqual([]);
    const hidden = await call(other, "GET", `/request-logs/${ids.created}`);
    expect([hidden.status, withoutIds(hidden.body)]).toEqual([404, withoutIds(never.body)]);
    const cursor = await call(other, "GET", `/request-logs?cursor=${ids.created}`);
    expect([cursor.status, withoutIds(cursor.body)]).toEqual([422, withoutIds(noCursor.body)]);
  }
});

test("successful reads of the log are logged, and listed only by their path", async () => {
  const tenant = await newTenant();
  const [account = ""] = await logged(tenant, await call(tenant, "GET", "/account"));
  const [read = "", single = "", refused = ""] = await logged(
    tenant,
    await call(tenant, "GET", "/request-logs"),
    await call(tenant, "GET", `/request-logs/${account}`),
    await call(tenant, "GET", "/request-logs?status=9"),
  );
  expect(await idsOf(tenant)).toEqual([refused, account]);
  expect(await idsOf(tenant, "&path=/v1/public/request-logs")).toEqual(
    expect.arrayContaining([refused, single, read]),
  );
});
