import { afterEach, expect, test, vi } from "vitest";
import { wakeSnoozedConversations } from "@/lib/conversations/service";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { workOffErasures } from "@/lib/erasures/work-off-erasures";
import { mutate } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { applyRetention } from "@/lib/retention/apply-retention";
import { updateRetention } from "@/lib/retention/settings";
import { deleteTenants } from "@/lib/tenant-deletion/delete-tenants";
import { wipeTestData } from "@/lib/test-data/service";
import { countFinishedDays } from "@/lib/usage/count-finished-days";
import { call, newTenant, type TestTenant } from "../support/api";
import { later } from "../support/later";

const dayMs = 86_400_000;

afterEach(async () => {
  setCurrentTime(null);
  await pool().query("DROP FUNCTION IF EXISTS refuse CASCADE");
});

/** From now on, such a statement about such rows fails. */
async function refuse(event: "UPDATE" | "DELETE", table: string, condition: string): Promise<void> {
  await pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT ${condition} FROM changed) THEN RAISE EXCEPTION 'refused by the test'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER refuse AFTER ${event} ON ${table} REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
}

const isOf = ({ tenantId }: TestTenant) => `count(*) FILTER (WHERE tenant_id = '${tenantId}') > 0`;

/** Runs a job as a worker does, which continues after a failure. @returns how often it failed */
async function runRepeatedly(work: () => Promise<number>): Promise<number> {
  let failures = 0;
  for (let run = 0; run < 40; run++) await work().catch(() => failures++);
  return failures;
}

/** A tenant with a closed conversation of a customer. */
async function newFilledTenant(): Promise<{ tenant: TestTenant; customerId: string }> {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Quodlibet" });
  const { body } = await call(tenant, "POST", "/conversations", {
    ...{ channelId: "web", customerId: customer.id, message: "Hello" },
  });
  await call(tenant, "PATCH", `/conversations/${body.id}`, { status: "CLOSED" });
  await flushRequestLogs();
  return { tenant, customerId: customer.id };
}

const inTwoDays = () => setCurrentTime(() => new Date(Date.now() + 2 * dayMs));

const countConversations = ({ tenantId }: TestTenant) =>
  db().conversation.count({ where: { tenantId } });

const jobs: Record<
  string,
  {
    request: (tenant: TestTenant) => Promise<unknown>;
    work: (limit: number) => Promise<number>;
  }
> = {
  retention: {
    request: ({ identity }) =>
      mutate(identity, (caller) =>
        updateRetention(caller, {
          ...{ conversations: 1, events: null, requestLogs: null, attempts: null },
        }),
      ),
    work: applyRetention,
  },
  "wiping test data": {
    request: ({ tenantId }) =>
      db().wipeTask.create({
        data: { tenantId, requestedById: "usr_1", requestedAt: new Date(Date.now() + dayMs) },
      }),
    work: wipeTestData,
  },
  "deleting organizations": {
    request: ({ tenantId }) =>
      db().tenantDeletion.create({
        data: {
          ...{ tenantId, requestedByType: "OPERATOR", requestedById: "tests" },
          ...{ requestedAt: new Date(), nextAt: new Date(0) },
        },
      }),
    work: deleteTenants,
  },
};

test.each(Object.entries(jobs))(
  "%s: an organization whose batches fail does not hold up another one",
  async (_name, { request, work }) => {
    const [{ tenant: bad }, { tenant: good }] = [await newFilledTenant(), await newFilledTenant()];
    for (const tenant of [bad, good]) await request(tenant);
    await refuse("DELETE", "conversations", isOf(bad));
    inTwoDays();
    expect(await runRepeatedly(() => work(100))).toBeGreaterThan(0);
    expect(await countConversations(good)).toBe(0);
    expect(await countConversations(bad)).toBe(1);

    await pool().query("DROP FUNCTION refuse CASCADE");
    setCurrentTime(() => new Date(Date.now() + 3 * dayMs));
    expect(await runRepeatedly(() => work(100))).toBe(0);
    expect(await countConversations(bad)).toBe(0);
  },
);

test("erasures: one whose batches fail does not hold up another one, and gets smaller batches", async () => {
  const [bad, good] = [await newFilledTenant(), await newFilledTenant()];
  for (let request = 0; request < 8; request++)
    await call(bad.tenant, "GET", `/customers/${bad.customerId}`);
  await flushRequestLogs();
  const isTooMuch = `count(*) FILTER (WHERE tenant_id = '${bad.tenant.tenantId}') > 1`;
  await refuse("UPDATE", "request_logs", isTooMuch);
  for (const { tenant, customerId } of [bad, good])
    await call(tenant, "POST", `/customers/${customerId}/erase`);
  let aheadMs = 0;
  setCurrentTime(() => new Date(Date.now() + aheadMs));
  const failures = await runRepeatedly(() => {
    aheadMs += 5_000;
    return workOffErasures(1_000);
  });
  expect(failures).toBeGreaterThan(0);
  const phases = async ({ tenant }: { tenant: TestTenant }) =>
    (await db().erasure.findFirstOrThrow({ where: { tenantId: tenant.tenantId } })).phase;
  expect(await phases(good)).toMatch(/REST|COMPLETED/);
  await runRepeatedly(() => {
    aheadMs += 5_000;
    return workOffErasures(1_000);
  });
  expect(await phases(bad)).toMatch(/REST|COMPLETED/);
});

test("erasures: one that always fails does not hold up later ones of its environment", async () => {
  const { tenant, customerId } = await newFilledTenant();
  const { body: other } = await call(tenant, "POST", "/customers", { name: "Quincunx" });
  await flushRequestLogs();
  const isAbout = `strpos(payload, '"object":{"id":"${customerId}"') > 0`;
  await refuse("UPDATE", "events", `count(*) FILTER (WHERE ${isAbout}) > 0`);
  for (const id of [customerId, other.id]) await call(tenant, "POST", `/customers/${id}/erase`);
  let aheadMs = 0;
  setCurrentTime(() => new Date(Date.now() + aheadMs));
  const work = () => {
    aheadMs += 5_000;
    return workOffErasures(1_000);
  };
  expect(await runRepeatedly(work)).toBeGreaterThan(0);
  const phaseOf = async (id: string) =>
    (
      await db().erasure.findFirstOrThrow({
        where: { ...tenant.identity.partition, customerId: id },
      })
    ).phase;
  expect(await phaseOf(other.id)).toMatch(/REST|COMPLETED/);
  expect(await phaseOf(customerId)).toBe("EVENTS");
  await pool().query("DROP FUNCTION refuse CASCADE");
  expect(await runRepeatedly(work)).toBe(0);
  expect(await phaseOf(customerId)).toMatch(/REST|COMPLETED/);
});

test("deletions: one that always fails does not hold up later ones of its environment", async () => {
  const { tenant } = await newFilledTenant();
  const ids: string[] = [];
  for (let count = 0; count < 2; count++) {
    const created = { channelId: "web", message: "Hello" };
    const { body } = await call(tenant, "POST", "/conversations", created);
    await call(tenant, "DELETE", `/conversations/${body.id}`);
    ids.push(body.id);
  }
  await refuse("DELETE", "messages", `count(*) FILTER (WHERE conversation_id = '${ids[0]}') > 0`);
  const left = async () =>
    (await db().message.findMany({ where: { conversationId: { in: ids } } })).map(
      ({ conversationId }) => conversationId,
    );
  expect(await runRepeatedly(() => workOffDeletions(100))).toBe(0);
  expect(await left()).toEqual([ids[0]]);
  await pool().query("DROP FUNCTION refuse CASCADE");
  await later(60_000, () => workOffDeletions(100));
  expect(await left()).toEqual([]);
});

test("counting days: an organization whose day cannot be counted does not hold up another one", async () => {
  const [{ tenant: bad }, { tenant: good }] = [await newFilledTenant(), await newFilledTenant()];
  await refuse("UPDATE", "tenants", `count(*) FILTER (WHERE id = '${bad.tenantId}') > 0`);
  setCurrentTime(() => new Date(Date.now() + 3 * dayMs));
  const before = await db().tenant.findUniqueOrThrow({ where: { id: bad.tenantId } });
  expect(await runRepeatedly(() => countFinishedDays(20))).toBe(0);
  const after = await db().tenant.findUniqueOrThrow({ where: { id: good.tenantId } });
  expect(after.countedUntil.getTime()).toBeGreaterThan(Date.now());
  const unchanged = await db().tenant.findUniqueOrThrow({ where: { id: bad.tenantId } });
  expect(unchanged.countedUntil).toEqual(before.countedUntil);
});

test("snoozed conversations: a full batch that cannot be reopened does not hold up another organization", async () => {
  const [{ tenant: bad }, { tenant: good }] = [await newFilledTenant(), await newFilledTenant()];
  await call(bad, "POST", "/conversations", { channelId: "web" });
  const snooze = ({ tenantId }: TestTenant, minutesAgo: number) =>
    db().conversation.updateMany({
      where: { tenantId },
      data: { status: "SNOOZED", snoozedUntil: new Date(Date.now() - minutesAgo * 60_000) },
    });
  await snooze(bad, 2);
  await snooze(good, 1);
  await refuse("UPDATE", "conversations", isOf(bad));
  expect(await runRepeatedly(() => wakeSnoozedConversations(2))).toBe(0);
  const statuses = ({ tenantId }: TestTenant) =>
    db().conversation.findMany({ where: { tenantId }, select: { status: true } });
  expect(await statuses(good)).toEqual([{ status: "OPEN" }]);
  expect(await statuses(bad)).toEqual([{ status: "SNOOZED" }, { status: "SNOOZED" }]);

  await pool().query("DROP FUNCTION refuse CASCADE");
  expect(await later(60_000, () => wakeSnoozedConversations(2))).toBe(2);
});

/** Adds snoozed conversations that have been due since then. */
const addSnoozed = ({ tenantId }: TestTenant, count: number, dueAt: Date) =>
  pool().query(
    `INSERT INTO conversations (tenant_id, environment, id, channel_id, status, snoozed_until, tags, created_at, updated_at)
    SELECT $1, 'test', 'cnv_' || ulid_time(now()) || lpad(n::text, 16, '0'), 'web', 'SNOOZED', $2, '{}', now(), now()
    FROM generate_series(1, $3::int) AS n`,
    [tenantId, dueAt, count],
  );

test("snoozed conversations: one organization's many do not hold up others' single ones", async () => {
  const [busy, ...others] = await Promise.all(Array.from({ length: 4 }, () => newTenant()));
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await addSnoozed(busy as TestTenant, 20, minutesAgo(2));
  for (const other of others) await addSnoozed(other, 1, minutesAgo(1));
  const open = (tenants: TestTenant[]) => {
    const tenantId = { in: tenants.map((tenant) => tenant.tenantId) };
    return db().conversation.count({ where: { tenantId, status: "OPEN" } });
  };
  // Batches of two are shared with the organizations that the scan reaches next.
  for (let batch = 0; batch < 4; batch++) expect(await wakeSnoozedConversations(2)).toBe(2);
  expect(await open(others)).toBe(3);
  await runRepeatedly(() => wakeSnoozedConversations(2));
  expect(await open([busy as TestTenant])).toBe(20);
});

test("a worker whose clock is ahead does not reopen a snoozed conversation early", async () => {
  const { tenant } = await newFilledTenant();
  const where = { tenantId: tenant.tenantId };
  await db().conversation.updateMany({
    where,
    data: { status: "SNOOZED", snoozedUntil: new Date(Date.now() + dayMs) },
  });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * dayMs });
  try {
    await wakeSnoozedConversations(100);
  } finally {
    vi.useRealTimers();
  }
  expect((await db().conversation.findFirstOrThrow({ where })).status).toBe("SNOOZED");
});
