import { afterEach, describe, expect, test, vi } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { type Identity, mutate, reader } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { firstIdAt, type IdKind } from "@/lib/resources/ids";
import { purgeExpired } from "@/lib/retention/purge-expired";
import { wipeTestData } from "@/lib/test-data/service";
import { countFinishedDays } from "@/lib/usage/count-finished-days";
import { flushRequestCounts } from "@/lib/usage/count-requests";
import { listUsageByKey } from "@/lib/usage/service";
import { usageStatement } from "@/lib/usage/service.sql";
import { deleteWebhook } from "@/lib/webhooks/service";
import type { DocumentModel } from "@/prisma/generated/models";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";
import { startReceiver } from "../support/receiver";
import { newWebhook } from "../support/webhooks";

const dayMs = 24 * 3_600_000;
const today = () => new Date().toISOString().slice(0, 10);

/** Repeats what started before midnight and ended after it. */
async function withinOneDay<Result>(work: () => Promise<Result>) {
  for (;;) {
    const [day, at] = [today(), new Date()];
    const result = await work();
    if (day === today()) return { result, at };
  }
}

/** The figures of some days together, without `date`: midnight can pass during a test. */
const sumOf = (days: Record<string, number | string>[]) =>
  days.reduce<Record<string, number>>(
    (sum, { date: _date, ...figures }) =>
      Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [name, (sum[name] ?? 0) + Number(value)]),
      ),
    {},
  );

const nothing = {
  apiRequests: 0,
  conversationsCreated: 0,
  messagesReceived: 0,
  messagesSent: 0,
  documentsStored: 0,
  filesStored: 0,
  storageBytes: 0,
  webhookDeliveries: 0,
  webhookFailures: 0,
};

async function usageOf(tenant: TestTenant, query = "") {
  const { status, body } = await call(tenant, "GET", `/usage${query}`);
  expect(status).toBe(200);
  return body;
}

/** Immediately where the server runs in this process, within a second or two otherwise. */
async function requestsByKey(tenant: TestTenant, since: string): Promise<Record<string, number>> {
  await flushRequestCounts();
  const keys = await listUsageByKey(reader(tenant.identity), { from: since });
  return Object.fromEntries(keys.map(({ apiKeyId, apiRequests }) => [apiKeyId, apiRequests]));
}

describe("the period", () => {
  test("200 returns each day of this month until today, all zero for a new tenant", async () => {
    const tenant = await newTenant();
    const { result: usage, at: now } = await withinOneDay(() => usageOf(tenant));
    const month = now.toISOString().slice(0, 8);
    const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0))
      .toISOString()
      .slice(0, 10);

    expect(usage).toEqual({
      environment: "test",
      billable: false,
      period: { start: `${month}01`, end },
      // This request itself may already be counted.
      totals: { ...nothing, apiRequests: expect.any(Number) },
      series: Array.from({ length: now.getUTCDate() }, (_, index) => {
        const date = `${month}${String(index + 1).padStart(2, "0")}`;
        return {
          date,
          ...nothing,
          ...(date === now.toISOString().slice(0, 10) && { apiRequests: usage.totals.apiRequests }),
        };
      }),
    });
  });

  test("200 is billable for live and never for test", async () => {
    const live = await newTenant({ environment: "live" });
    const inTest = await newKey(live, { environment: "test" });
    expect(await usageOf(live)).toMatchObject({ environment: "live", billable: true });
    expect(await usageOf(inTest)).toMatchObject({ environment: "test", billable: false });
  });

  test.each([
    [
      "?from=2026-02-27&to=2026-03-02",
      "2026-02-27",
      "2026-03-02",
      ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"],
    ],
    [
      "?from=2024-02-28&to=2024-03-01",
      "2024-02-28",
      "2024-03-01",
      ["2024-02-28", "2024-02-29", "2024-03-01"],
    ],
    ["?to=2026-01-03", "2026-01-01", "2026-01-03", ["2026-01-01", "2026-01-02", "2026-01-03"]],
    ["?from=2026-01-05&to=2026-01-05", "2026-01-05", "2026-01-05", ["2026-01-05"]],
    ["?from=2999-01-01&to=2999-01-31", "2999-01-01", "2999-01-31", []],
    ["?from=0001-01-01&to=0001-01-02", "0001-01-01", "0001-01-02", ["0001-01-01", "0001-01-02"]],
  ])("200 for %s", async (query, start, end, days) => {
    const usage = await usageOf(await newTenant(), query);
    expect(usage.period).toEqual({ start, end });
    expect(usage.series.map(({ date }: { date: string }) => date)).toEqual(days);
  });

  test("200 for 366 days, 422 for 367", async () => {
    const tenant = await newTenant();
    expect((await usageOf(tenant, "?from=2024-01-01&to=2024-12-31")).series).toHaveLength(366);
    expect((await call(tenant, "GET", "/usage?from=2023-12-31&to=2024-12-31")).status).toBe(422);
  });

  test.each([
    ["a period that ends before it begins", "from=2026-02-02&to=2026-02-01", "/from"],
    ["a first day after this month", "from=2999-01-01", "/from"],
    ["a first day too long ago", "from=2020-01-01", "/from"],
    ["a day that does not exist", "from=2026-02-30&to=2026-03-01", "/from"],
    ["the year 0000, which PostgreSQL does not have", "from=0000-12-31&to=0001-01-01", "/from"],
    ["a last day in the year 0000", "from=2026-01-01&to=0000-01-02", "/to"],
    ["a time", "to=2026-02-01T00:00:00.000Z", "/to"],
    ["a month", "to=2026-02", "/to"],
    ["an empty day", "to=", "/to"],
    ["an unknown parameter", "since=2026-02-01", "/since"],
    ["a repeated parameter", "to=2026-02-01&to=2026-02-02", "/to"],
  ])("422 for %s", async (_what, query, pointer) => {
    const reply = await call(await newTenant(), "GET", `/usage?${query}`);
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, location: "query" }] },
    });
    expect(reply.body.errors).toHaveLength(1);
  });
});

describe("requests", () => {
  test("200 counts concurrent requests exactly, by key, without those beyond the rate limit", async () => {
    const since = today();
    const tenant = await newTenant();
    const [busy, limited] = [await newKey(tenant), await newKey(tenant, { rateLimitPerMinute: 2 })];

    await Promise.all([
      ...Array.from({ length: 200 }, () => call(busy, "GET", "/account")),
      ...Array.from({ length: 50 }, (_, index) =>
        call(tenant, index % 2 ? "POST" : "GET", "/nothing"),
      ),
      ...Array.from({ length: 5 }, () => call(limited, "GET", "/account")),
    ]);

    const expected = { [busy.keyId]: 200, [tenant.keyId]: 50, [limited.keyId]: 2 };
    await expect.poll(() => requestsByKey(tenant, since)).toEqual(expected);
    const { totals, series } = await usageOf(busy, `?from=${since}`);
    expect([252, 253]).toContain(totals.apiRequests);
    expect(series[0].date).toBe(since);
    expect(sumOf(series)).toEqual(totals);
  });

  test("200 does not count requests of another tenant or of the other environment", async () => {
    const since = today();
    const [tenant, stranger] = [await newTenant(), await newTenant()];
    const live = await newKey(tenant, { environment: "live" });
    for (let index = 0; index < 3; index++) await call(stranger, "GET", "/account");
    await call(live, "GET", "/account");

    await expect.poll(() => requestsByKey(stranger, since)).toEqual({ [stranger.keyId]: 3 });
    await expect.poll(() => requestsByKey(live, since)).toEqual({ [live.keyId]: 1 });
    expect(await requestsByKey(tenant, since)).toEqual({});
    expect((await usageOf(tenant, `?from=${since}`)).totals.apiRequests).toBeLessThanOrEqual(1);
  });
});

describe("conversations and messages", () => {
  test("are counted by direction, without notes, only for their own tenant", async () => {
    const since = today();
    const tenant = await newTenant();
    const strangers = [await newTenant(), await newKey(tenant, { environment: "live" })];
    const { id } = (
      await call(tenant, "POST", "/conversations", { channelId: "web", message: "one" })
    ).body;
    await call(tenant, "POST", "/conversations", { channelId: "web" });
    const post = (body: object) => call(tenant, "POST", `/conversations/${id}/messages`, body);
    await Promise.all([
      post({ text: "two" }),
      post({ text: "three" }),
      post({ text: "answer", author: { type: "USER" } }),
      post({ text: "note", direction: "INTERNAL", author: { type: "USER" } }),
    ]);

    const { totals, series } = await usageOf(tenant, `?from=${since}`);

    const counted = { conversationsCreated: 2, messagesReceived: 3, messagesSent: 1 };
    expect(totals).toMatchObject(counted);
    expect(series[0].date).toBe(since);
    expect(sumOf(series)).toMatchObject(counted);
    for (const stranger of strangers)
      expect((await usageOf(stranger, `?from=${since}`)).totals).toMatchObject({
        conversationsCreated: 0,
        messagesReceived: 0,
      });
  });

  test("belong to the day (UTC) on which they were created, to the millisecond", async () => {
    const tenant = await newTenant();
    const midnight = Date.UTC(2026, 0, 11);
    for (const at of [midnight - 1, midnight, midnight + dayMs - 1, midnight + dayMs]) {
      const createdAt = new Date(at);
      const row = {
        ...tenant.identity.partition,
        id: firstIdAt("conversation", createdAt),
        channelId: "web",
        createdAt,
        updatedAt: createdAt,
      };
      await db().conversation.create({ data: row });
    }
    const { totals, series } = await usageOf(tenant, "?from=2026-01-10&to=2026-01-11");
    expect(
      series.map((day: Record<string, unknown>) => [day.date, day.conversationsCreated]),
    ).toEqual([
      ["2026-01-10", 1],
      ["2026-01-11", 2],
    ]);
    expect(totals.conversationsCreated).toBe(3);
  });
});

describe("storage", () => {
  test("is the size at the end of each day, and shrinks when a document is deleted", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const post = async (text: string) =>
      (
        await call(tenant, "POST", `/knowledge-bases/${base}/documents`, {
          name: `${text}.txt`,
          text,
        })
      ).body.id as string;
    const old = await post("four");
    const recent = await post("grün");
    const { partition } = tenant.identity;
    const [row] = await db().document.findMany({ where: { ...partition, id: old } });
    await db().document.deleteMany({ where: { ...partition, id: old } });
    const createdAt = new Date("2025-01-15T23:59:59.999Z");
    await db().document.create({
      data: { ...(row as DocumentModel), metadata: {}, createdAt },
    });

    expect((await usageOf(tenant)).totals).toMatchObject({ documentsStored: 2, storageBytes: 9 });
    const { totals, series } = await usageOf(tenant, "?from=2025-01-14&to=2025-01-16");
    expect(
      series.map((day: Record<string, unknown>) => [day.documentsStored, day.storageBytes]),
    ).toEqual([
      [0, 0],
      [1, 4],
      [1, 4],
    ]);
    expect(totals).toMatchObject({ documentsStored: 1, storageBytes: 4 });
    // A document older than the period counts from the first day.
    expect((await usageOf(tenant, `?from=${today()}`)).series.at(-1)).toMatchObject({
      documentsStored: 2,
      storageBytes: 9,
    });

    await call(tenant, "DELETE", `/knowledge-bases/${base}/documents/${recent}`);
    expect((await usageOf(tenant)).totals).toMatchObject({ documentsStored: 1, storageBytes: 4 });
  });
});

describe("webhooks", () => {
  test("each attempt and each failure is counted once, and the count remains when the webhook is deleted", async () => {
    const since = today();
    const tenant = await newTenant();
    const receiver = await startReceiver();
    const webhook = await newWebhook(receiver.url, tenant.identity.partition);
    try {
      for (const name of ["Ada", "Eve"]) await call(tenant, "POST", "/customers", { name });
      const [first, second] = await db().delivery.findMany({
        where: webhook.partition,
        orderBy: { id: "asc" },
      });
      if (!first || !second) throw new Error("the events reached no webhook");
      await attemptDelivery(first);
      await attemptDelivery(first);
      receiver.respond = (response) => void response.writeHead(500).end();
      await attemptDelivery(second);
    } finally {
      await receiver.close();
    }
    const expected = { webhookDeliveries: 2, webhookFailures: 1 };
    expect((await usageOf(tenant, `?from=${since}`)).totals).toMatchObject(expected);
    await mutate(tenant.identity, (caller) => deleteWebhook(caller, webhook.id));
    const { totals, series } = await usageOf(tenant, `?from=${since}`);
    expect(totals).toMatchObject(expected);
    expect(sumOf(series)).toMatchObject(expected);
    const live = await newKey(tenant, { environment: "live" });
    expect((await usageOf(live, `?from=${since}`)).totals).toMatchObject({ webhookDeliveries: 0 });
  });
});

describe("days that are over", () => {
  const days = ["2026-01-09", "2026-01-10", "2026-01-11", "2026-01-12"];
  const figures = ["conversationsCreated", "messagesReceived", "messagesSent"] as const;
  afterEach(() => setCurrentTime(null));

  let made = 0;
  const idAt = (kind: IdKind, at: Date) =>
    firstIdAt(kind, at).slice(0, -6) + String(++made).padStart(6, "0");

  /** A conversation and its messages, each created at a given time. */
  async function write(
    { partition }: Identity,
    at: string,
    messages: [at: string, direction: "INBOUND" | "OUTBOUND" | "INTERNAL"][] = [],
  ) {
    const createdAt = new Date(at);
    const conversation = {
      ...partition,
      id: idAt("conversation", createdAt),
      channelId: "web",
      createdAt,
      updatedAt: createdAt,
    };
    await db().conversation.create({ data: conversation });
    const rows = messages.map(([at, direction], index) => ({
      ...{
        ...partition,
        id: idAt("message", new Date(at)),
        conversationId: conversation.id,
        sequence: index + 1,
      },
      ...{ direction, authorType: "CUSTOMER" as const, text: "Hello", createdAt: new Date(at) },
    }));
    await db().message.createMany({ data: rows });
  }

  /** Counts everything that is due at a time. */
  async function countAt(time: string) {
    setCurrentTime(() => new Date(time));
    while ((await countFinishedDays(20)) > 0);
  }

  const counted = async ({ partition }: Identity) =>
    (await db().conversationDay.findMany({ where: partition, orderBy: { day: "asc" } })).map(
      ({ day }) => day.toISOString().slice(0, 10),
    );

  /** By the day on which each row was created, from the rows alone. */
  async function countNaively({ partition: { tenantId, environment } }: Identity) {
    const { rows } = await pool().query(
      `SELECT d.day::text AS date,
         (SELECT count(*)::int FROM conversations WHERE tenant_id = $1 AND environment = $2 AND (created_at AT TIME ZONE 'UTC')::date = d.day) AS "conversationsCreated",
         (SELECT count(*)::int FROM messages WHERE tenant_id = $1 AND environment = $2 AND (created_at AT TIME ZONE 'UTC')::date = d.day AND direction = 'INBOUND') AS "messagesReceived",
         (SELECT count(*)::int FROM messages WHERE tenant_id = $1 AND environment = $2 AND (created_at AT TIME ZONE 'UTC')::date = d.day AND direction = 'OUTBOUND') AS "messagesSent"
       FROM unnest($3::date[]) AS d (day) ORDER BY 1`,
      [tenantId, environment, days],
    );
    return rows;
  }

  async function expectExact(tenant: TestTenant) {
    const { totals, series } = await usageOf(tenant, `?from=${days[0]}&to=${days.at(-1)}`);
    const naive = await countNaively(tenant.identity);
    expect(series).toEqual(naive.map((day) => expect.objectContaining(day)));
    for (const figure of figures)
      expect(totals[figure]).toBe(naive.reduce((sum, day) => sum + day[figure], 0));
    return totals;
  }

  async function newOldTenant() {
    const test = await newTenant();
    const { tenantId } = test.identity.partition;
    await db().tenant.update({
      where: { id: tenantId },
      data: { countedUntil: new Date("2026-01-09") },
    });
    const live = await newKey(test, { environment: "live" });
    for (const { identity } of [test, live]) {
      await write(identity, "2026-01-09T00:00:00.000Z", [
        ["2026-01-09T00:00:00.000Z", "INBOUND"],
        ["2026-01-09T23:59:59.999Z", "OUTBOUND"],
        ["2026-01-10T00:00:00.000Z", "INBOUND"],
        ["2026-01-12T00:00:00.000Z", "INTERNAL"],
      ]);
      await write(identity, "2026-01-11T23:59:59.999Z", [["2026-01-12T00:00:00.000Z", "OUTBOUND"]]);
    }
    await write(live.identity, "2026-01-10T12:00:00.000Z");
    return { test, live };
  }

  test("200 is the sum of the rows before, while and after they are counted, in both environments", async () => {
    const { test, live } = await newOldTenant();
    for (const tenant of [test, live]) await expectExact(tenant);

    await countAt("2026-01-12T00:59:59.999Z");
    expect(await counted(test.identity)).toEqual(["2026-01-09", "2026-01-10"]);
    for (const tenant of [test, live]) await expectExact(tenant);

    // A transaction that began before midnight may commit after it.
    await write(test.identity, "2026-01-11T23:59:59.000Z", [
      ["2026-01-11T23:59:59.500Z", "INBOUND"],
    ]);
    await countAt("2026-01-12T01:00:00.000Z");
    expect(await counted(test.identity)).toEqual(["2026-01-09", "2026-01-10", "2026-01-11"]);
    for (const tenant of [test, live]) await expectExact(tenant);

    await write(test.identity, "2026-01-12T18:00:00.000Z");
    await countAt("2026-01-14T18:00:00.000Z");
    expect(await counted(test.identity)).toEqual(days);
    const totals = await expectExact(test);
    expect(totals).toMatchObject({ conversationsCreated: 4, messagesReceived: 3, messagesSent: 2 });

    // From then on no row is read, and the deletion of expired rows takes nothing
    // with it.
    await pool().query("DELETE FROM conversations WHERE tenant_id = $1", [
      test.identity.partition.tenantId,
    ]);
    await purgeExpired(1_000);
    expect((await usageOf(test, "?from=2026-01-09&to=2026-01-12")).totals).toEqual(totals);
  });

  test("200 includes nothing that was wiped from test, and everything of live", async () => {
    const { test, live } = await newOldTenant();
    const { tenantId } = test.identity.partition;
    await countAt("2026-01-11T18:00:00.000Z");
    await db().wipeTask.create({
      data: { tenantId, requestedById: "usr_0", requestedAt: new Date("2026-01-11T18:00:00.000Z") },
    });
    // Not while rows are going.
    await countAt("2026-01-14T18:00:00.000Z");
    expect(await counted(live.identity)).toEqual(["2026-01-09", "2026-01-10"]);

    while ((await wipeTestData(3)) > 0);
    expect(await counted(test.identity)).toEqual([]);
    for (const tenant of [test, live]) await expectExact(tenant);
    await countAt("2026-01-14T18:00:00.000Z");
    expect(await counted(live.identity)).toEqual(days);
    expect(await counted(test.identity)).toEqual(["2026-01-11", "2026-01-12"]);
    for (const tenant of [test, live]) await expectExact(tenant);
  });

  test("a worker whose clock is ahead counts no day before it has ended by the database's clock", async () => {
    const { tenantId } = await newTenant();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * dayMs });
    try {
      while ((await countFinishedDays(20)) > 0);
    } finally {
      vi.useRealTimers();
    }
    const { countedUntil } = await db().tenant.findUniqueOrThrow({ where: { id: tenantId } });
    expect(countedUntil.getTime()).toBeLessThanOrEqual(Date.now());
  });

  test("two concurrent workers count each day once", async () => {
    const { test, live } = await newOldTenant();
    setCurrentTime(() => new Date("2026-01-14T18:00:00.000Z"));
    await Promise.all(Array.from({ length: 40 }, () => countFinishedDays(20)));
    await countAt("2026-01-14T18:00:00.000Z");
    for (const tenant of [test, live]) await expectExact(tenant);
    expect(await counted(live.identity)).toEqual(days);
  });
});

test("counting 20,000 messages reads only the index of the primary key", async () => {
  const tenant = await newTenant();
  const { tenantId, environment } = tenant.identity.partition;
  const days = Array.from({ length: 20 }, (_, index) => new Date(Date.UTC(2026, 0, index + 1)));
  const idsOf = (kind: IdKind) => days.map((day) => firstIdAt(kind, day));
  // A thousand a day; the end of a day's first id is room for a number.
  await pool().query(
    `INSERT INTO conversations (tenant_id, environment, id, channel_id, created_at, updated_at)
     SELECT $1, $2::"Environment", left(day.id, -5) || lpad(i::text, 5, '0'), 'web', now(), now()
     FROM unnest($3::text[]) AS day (id), generate_series(1, 1000) i`,
    [tenantId, environment, idsOf("conversation")],
  );
  await pool().query("ANALYZE conversations");
  await pool().query(
    `INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at)
     SELECT $1, $2::"Environment", left(day.id, -5) || lpad(i::text, 5, '0'), left(day.conversation_id, -5) || lpad(i::text, 5, '0'), 1,
       (CASE WHEN i % 4 = 0 THEN 'OUTBOUND' ELSE 'INBOUND' END)::"Direction", 'CUSTOMER', 'Hello', now()
     FROM unnest($3::text[], $4::text[]) AS day (id, conversation_id), generate_series(1, 1000) i`,
    [tenantId, environment, idsOf("message"), idsOf("conversation")],
  );
  await pool().query("VACUUM ANALYZE conversations, messages");

  const { totals } = await usageOf(tenant, "?from=2026-01-01&to=2026-01-31");
  expect(totals).toMatchObject({
    conversationsCreated: 20_000,
    messagesReceived: 15_000,
    messagesSent: 5_000,
  });

  const dates = days.map((day) => day.toISOString().slice(0, 10));
  const { text, values } = usageStatement({
    tenantId,
    environment,
    days: dates.slice(0, -1),
    conversationIds: idsOf("conversation"),
    messageIds: idsOf("message"),
  });
  const { rows } = await pool().query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, values);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("Index Only Scan using messages_pkey on messages");
  expect(plan).toContain("Index Only Scan using conversations_pkey on conversations");
});
