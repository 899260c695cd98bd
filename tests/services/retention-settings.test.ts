import { expect, test, vi } from "vitest";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { firstIdAt } from "@/lib/resources/ids";
import { applyRetention } from "@/lib/retention/apply-retention";
import { getRetention, previewRetention, updateRetention } from "@/lib/retention/settings";
import { retentionInput } from "@/lib/retention/settings-schema";
import { call, newKey, newTenant, type TestTenant } from "../support/api";

const dayMs = 86_400_000;
const none = { conversations: null, events: null, requestLogs: null, attempts: null };

async function inDays<Result>(days: number, work: () => Promise<Result>): Promise<Result> {
  setCurrentTime(() => new Date(Date.now() + days * dayMs));
  try {
    return await work();
  } finally {
    setCurrentTime(null);
  }
}

const applyAll = async () => {
  while ((await applyRetention(200)) > 0);
  while ((await workOffDeletions(500)) > 0);
};

async function fill(tenant: TestTenant) {
  await call(tenant, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] });
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const body = { channelId: "web", message: "Hello", customerId: customer.id };
  const [open, closed] = [
    (await call(tenant, "POST", "/conversations", body)).body.id,
    (await call(tenant, "POST", "/conversations", body)).body.id,
  ];
  await call(tenant, "PATCH", `/conversations/${closed}`, { status: "CLOSED" });
  const { partition } = tenant.identity;
  const [waiting, ...delivered] = await db().delivery.findMany({ where: partition });
  await db().delivery.updateMany({
    where: { ...partition, id: { in: delivered.map(({ id }) => id) } },
    data: { status: "DELIVERED", nextAttemptAt: null, firstResponse: "Thanks" },
  });
  await db().deliveryAttempt.create({
    data: {
      ...partition,
      deliveryId: delivered[0]?.id ?? "",
      number: 1,
      startedAt: new Date(),
      durationMs: 1,
      response: "Thanks",
    },
  });
  await flushRequestLogs();
  return { customer, open, closed, waiting: waiting?.eventId };
}

const counts = async ({ identity: { partition: where } }: TestTenant) => ({
  conversations: await db().conversation.count({ where }),
  messages: await db().message.count({ where }),
  events: await db().event.count({ where }),
  requestLogs: await db().requestLog.count({ where }),
  attempts: await db().deliveryAttempt.count({ where }),
});

test("each setting deletes what is older, and nothing else; what was previewed is what is deleted", async () => {
  const tenant = await newTenant();
  const other = await newKey(tenant, { environment: "live" });
  const { customer, open, closed, waiting } = await fill(tenant);
  await fill(other);
  const [before, ofOther] = [await counts(tenant), await counts(other)];
  const retention = { conversations: 5, events: 3, requestLogs: 2, attempts: 2 };
  await mutate(tenant.identity, (caller) => updateRetention(caller, retention));
  expect(await getRetention(reader(tenant.identity))).toEqual(retention);

  await inDays(1, applyAll);
  expect(await counts(tenant)).toEqual(before);

  await inDays(2.1, applyAll);
  expect(await counts(tenant)).toEqual({ ...before, requestLogs: 0, attempts: 0 });
  const { partition } = tenant.identity;
  expect(await db().delivery.count({ where: { ...partition, firstResponse: { not: null } } })).toBe(
    0,
  );

  const preview = await inDays(6, () => previewRetention(reader(tenant.identity), retention));
  expect(preview.events.count).toBe(before.events - 1);
  expect(preview.conversations).toEqual({ count: 1, isMore: false });
  await inDays(6, applyAll);
  // The event whose delivery still waits stays.
  const events = await db().event.findMany({ where: partition, select: { id: true } });
  expect(events.map(({ id }) => id)).toEqual([waiting]);
  expect((await call(tenant, "GET", `/conversations/${open}`)).status).toBe(200);
  expect((await call(tenant, "GET", `/conversations/${closed}`)).status).toBe(404);
  expect((await call(tenant, "GET", `/customers/${customer.id}`)).body.conversationCount).toBe(1);
  expect((await counts(tenant)).messages).toBe(1);
  expect(await counts(other)).toEqual(ofOther);
  const entry = await db().auditEntry.findFirstOrThrow({
    where: { tenantId: tenant.tenantId, action: "retention.changed" },
  });
  expect(entry.changes).toEqual({ before: none, after: retention });
});

test("a batch reads no more events than its share, whether or not they wait for a delivery", async () => {
  const tenant = await newTenant();
  await fill(tenant);
  const { partition: where } = tenant.identity;
  const events = await db().event.findMany({ where, orderBy: { id: "asc" } });
  const waiting = events[0]?.id ?? "";
  const delivered = { status: "DELIVERED", nextAttemptAt: null } as const;
  await db().delivery.updateMany({ where, data: delivered });
  await db().delivery.updateMany({
    where: { ...where, eventId: waiting },
    data: { status: "PENDING", nextAttemptAt: new Date() },
  });
  await mutate(tenant.identity, (caller) => updateRetention(caller, { ...none, events: 1 }));
  const left = () => db().event.findMany({ where, select: { id: true } });
  await inDays(2, async () => {
    // The first event waits, so it is all that a batch of one reads.
    await applyRetention(1);
    expect(await left()).toHaveLength(events.length);
    await applyRetention(1);
    expect(await left()).toHaveLength(events.length - 1);
    while ((await applyRetention(1)) > 0);
    expect(await left()).toEqual([{ id: waiting }]);
    // Once it is delivered, the next pass deletes it.
    await db().delivery.updateMany({ where, data: delivered });
  });
  await inDays(3, applyAll);
  expect(await left()).toEqual([]);
});

/** An environment whose retention is the only one, with expired events that all have a held delivery. */
async function holdExpired() {
  await db().retentionSetting.deleteMany();
  const tenant = await newTenant();
  await fill(tenant);
  const { partition: where } = tenant.identity;
  await db().delivery.updateMany({ where, data: { status: "HELD", nextAttemptAt: null } });
  await mutate(tenant.identity, (caller) => updateRetention(caller, { ...none, events: 1 }));
  return { where, count: await db().event.count({ where }) };
}

test("only events that are deleted are locked, which would change the pages of the others", async () => {
  const { where } = await holdExpired();
  const locks = () =>
    db()
      .$queryRaw`SELECT id, xmax::text FROM events WHERE tenant_id = ${where.tenantId} ORDER BY id`;
  const before = await locks();
  await inDays(2, applyAll);
  expect(await locks()).toEqual(before);
});

test("expired events that wait for a delivery are read once an hour, and others within ten minutes", async () => {
  const { where, count } = await holdExpired();
  const batchesAfter = (minutes: number) =>
    inDays(2 + minutes / 1_440, async () => {
      let batches = 0;
      while ((await applyRetention(1)) > 0) batches++;
      return batches;
    });
  // Each batch reads one event, and the last one none.
  expect(await batchesAfter(0)).toBe(count + 1);
  expect(await batchesAfter(11)).toBe(1);
  const createdAt = new Date(Date.now() + dayMs + 15 * 60_000);
  const event = { type: "customer.created", payload: "{}", createdAt };
  await db().event.create({ data: { ...where, ...event, id: firstIdAt("event", createdAt) } });
  expect(await batchesAfter(22)).toBe(2);
  expect(await db().event.count({ where })).toBe(count);

  await db().delivery.updateMany({ where, data: { status: "DELIVERED" } });
  expect(await batchesAfter(61)).toBe(count + 2);
  expect(await db().event.count({ where })).toBe(0);
});

test("an event whose delivery was discarded stays for a week after that", async () => {
  const tenant = await newTenant();
  const { waiting = "" } = await fill(tenant);
  const { partition: where } = tenant.identity;
  await mutate(tenant.identity, (caller) => updateRetention(caller, { ...none, events: 3 }));
  const discardDaysAgo = (days: number) =>
    db().delivery.updateMany({
      where: { ...where, eventId: waiting },
      data: {
        status: "DISCARDED",
        nextAttemptAt: null,
        updatedAt: new Date(Date.now() - days * dayMs),
      },
    });
  const left = () => db().event.findMany({ where, select: { id: true } });
  await discardDaysAgo(6);
  await inDays(4, applyAll);
  expect(await left()).toEqual([{ id: waiting }]);
  await discardDaysAgo(8);
  await inDays(5, applyAll);
  expect(await left()).toEqual([]);
});

test("an attempt is stored for the configured days, even if it was made long after its delivery", async () => {
  const tenant = await newTenant();
  await fill(tenant);
  const { partition: where } = tenant.identity;
  const [late] = await db().delivery.findMany({ where: { ...where, status: "DELIVERED" } });
  const deliveryId = late?.id ?? "";
  const startedAt = new Date(Date.now() + 3 * dayMs);
  const resent = { ...where, deliveryId, number: 2, startedAt, durationMs: 1, response: "Later" };
  await db().deliveryAttempt.create({ data: resent });
  await db().delivery.updateMany({
    where: { ...where, id: deliveryId },
    data: { firstStartedAt: startedAt, firstResponse: "Later" },
  });
  await mutate(tenant.identity, (caller) => updateRetention(caller, { ...none, attempts: 2 }));
  const left = async () => [
    await db().deliveryAttempt.count({ where: { ...where, response: "Later" } }),
    await db().delivery.count({ where: { ...where, firstResponse: "Later" } }),
  ];
  await inDays(4, applyAll);
  expect(await left()).toEqual([1, 1]);
  // The next pass over all deliveries starts a day after the one before.
  for (const days of [5.1, 6.2, 6.3]) await inDays(days, applyAll);
  expect(await left()).toEqual([0, 0]);
});

test.each([
  ["conversations", 0],
  ["conversations", 3_651],
  ["events", 31],
  ["requestLogs", 1.5],
  ["attempts", 1],
])("%s of %s days is refused", (kind, days) => {
  expect(retentionInput.safeParse({ ...none, [kind]: days }).success).toBe(false);
});

test("a worker whose clock is ahead deletes only what has expired by the database's clock", async () => {
  const tenant = await newTenant();
  await fill(tenant);
  const before = await counts(tenant);
  const retention = { conversations: 5, events: 3, requestLogs: 2, attempts: 2 };
  await mutate(tenant.identity, (caller) => updateRetention(caller, retention));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20 * dayMs });
  try {
    await applyAll();
  } finally {
    vi.useRealTimers();
  }
  expect(await counts(tenant)).toEqual(before);
});
