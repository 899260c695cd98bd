import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { oldestExpired, purgeExpired } from "@/lib/retention/purge-expired";
import { holdDeliveries } from "@/lib/webhooks/disable";
import { updateWebhook } from "@/lib/webhooks/service";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { dropAllWeeks } from "../support/partitions";
import { type Receiver, startReceiver } from "../support/receiver";
import {
  countByStatus,
  newPartition,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// Rows that are purged one by one are those of weeks without partitions. How weeks are dropped is
// tested in partitions.test.ts.

const daySeconds = 86_400;

beforeAll(dropAllWeeks);

let receiver: Receiver;
let clock: VirtualClock;
let createdAt: Date;
beforeEach(async () => {
  receiver = await startReceiver();
  createdAt = new Date();
  clock = virtualClock(createdAt);
});
afterEach(async () => {
  clock.release();
  await receiver.close();
});

const toDay = (day: number) =>
  clock.advanceTo(new Date(createdAt.getTime() + day * daySeconds * 1_000 + 60_000));

async function purgeAll(limit = 20): Promise<void> {
  while ((await purgeExpired(limit)) === limit);
}

const eventsOf = (partition: Partition) => db().event.count({ where: partition });

test("after 30 days an event is deleted with its deliveries and their attempts, except for pending deliveries", async () => {
  const { partition, id } = await newWebhook(receiver.url);
  const finish = async (status: DeliveryStatus) => {
    const [delivery] = await raiseEvent(partition);
    const where = { tenantId_environment_id: { ...partition, id: delivery?.id ?? "" } };
    await db().delivery.update({
      where,
      data: { status, ...(status !== "PENDING" && { nextAttemptAt: null }) },
    });
    const attempt = {
      deliveryId: delivery?.id ?? "",
      number: 1,
      startedAt: createdAt,
      durationMs: 1,
    };
    await db().deliveryAttempt.create({ data: { ...partition, ...attempt } });
  };
  for (const status of ["DELIVERED", "FAILED", "DISCARDED", "PENDING"] as const)
    await finish(status);

  toDay(29.9);
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({
    DELIVERED: 1,
    FAILED: 1,
    DISCARDED: 1,
    PENDING: 1,
  });
  toDay(30);
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({ PENDING: 1 });
  expect(await db().deliveryAttempt.count({ where: partition })).toBe(1);
  expect(await eventsOf(partition)).toBe(1);

  await db().delivery.updateMany({
    where: partition,
    data: { status: "DELIVERED", nextAttemptAt: null },
  });
  toDay(31.1);
  await purgeAll();
  expect(await eventsOf(partition)).toBe(0);
});

test("a delivery that is held for 30 days is given up, stays visible for a week, and is deleted", async () => {
  const { partition, id } = await newWebhook(receiver.url);
  await raiseEvent(partition);
  toDay(10);
  await mutate(system(partition), (caller) => updateWebhook(caller, id, { status: "DISABLED" }));
  await holdDeliveries(partition, id);

  toDay(39.9);
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({ HELD: 1 });
  toDay(41);
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({ DISCARDED: 1 });
  toDay(47.9);
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({ DISCARDED: 1 });
  toDay(48.1);
  await purgeAll();
  expect([await countByStatus(partition, id), await eventsOf(partition)]).toEqual([{}, 0]);
});

test("idempotency records are deleted after 24 hours, request logs and warnings after 30 days", async () => {
  const { partition, id } = await newWebhook(receiver.url);
  const expiresAt = new Date(createdAt.getTime() + daySeconds * 1_000);
  const record = { fingerprint: new Uint8Array(32), status: 200, body: "", createdAt, expiresAt };
  await db().idempotencyRecord.create({ data: { ...partition, key: "key", ...record } });
  const log = { apiKeyId: "key", method: "GET", path: "/", status: 200, durationMs: 1 };
  await db().requestLog.create({ data: { ...partition, id: "req_1", ...log, createdAt } });
  await db().webhookWarning.create({
    data: { ...partition, webhookId: id, failures: 50, createdAt },
  });
  const left = async () => [
    await db().idempotencyRecord.count({ where: partition }),
    await db().requestLog.count({ where: partition }),
    await db().webhookWarning.count({ where: partition }),
  ];

  clock.advanceTo(new Date(expiresAt.getTime() - 1_000));
  await purgeAll();
  expect(await left()).toEqual([1, 1, 1]);
  clock.advance(1);
  await purgeAll();
  expect(await left()).toEqual([0, 1, 1]);
  toDay(29.9);
  await purgeAll();
  expect(await left()).toEqual([0, 1, 1]);
  toDay(30);
  await purgeAll();
  expect(await left()).toEqual([0, 0, 0]);
});

test("a table that cannot be purged does not delay others, and doctor and /ready say how long it has waited", async () => {
  const { partition, id } = await newWebhook(receiver.url);
  await raiseEvent(partition);
  await db().delivery.updateMany({
    where: { webhookId: id },
    data: { status: "DELIVERED", nextAttemptAt: null },
  });
  const log = { apiKeyId: "key", method: "GET", path: "/", status: 200, durationMs: 1 };
  await db().requestLog.create({ data: { ...partition, id: "req_stuck", ...log, createdAt } });
  await db().$executeRawUnsafe(
    'CREATE TRIGGER stuck BEFORE DELETE ON request_logs_default FOR EACH ROW EXECUTE FUNCTION "refuse_change"()',
  );
  try {
    toDay(31);
    expect(await purgeExpired(1_000)).toBeLessThan(1_000);
    expect([await eventsOf(partition), await db().requestLog.count({ where: partition })]).toEqual([
      0, 1,
    ]);
    expect(await oldestExpired()).toEqual({ table: "request_logs", seconds: daySeconds + 60 });
  } finally {
    await db().$executeRawUnsafe("DROP TRIGGER stuck ON request_logs_default");
  }
  await purgeExpired(1_000);
  expect(await oldestExpired()).toMatchObject({ seconds: 0 });
});

test("5,000 expired events are deleted in small batches while deliveries continue", async () => {
  const partition = await newPartition();
  const old = await newWebhook(receiver.url, partition);
  await raiseBacklog(partition, old.id, 5_000, createdAt);
  await db().delivery.updateMany({
    where: { webhookId: old.id },
    data: { status: "DELIVERED", nextAttemptAt: null },
  });
  await db().event.updateMany({ where: partition, data: { expiresAt: createdAt } });
  clock.release();

  const live = await newWebhook(receiver.url);
  const loop = startDelivering();
  let batches = 0;
  const largest = { events: 0 };
  let raised = 0;
  let arrivedMeanwhile = 0;
  try {
    for (let isDone = false; !isDone; ) {
      if (batches++ % 10 === 0) {
        await raiseEvent(live.partition);
        raised++;
        loop.wake();
      }
      const before = await eventsOf(partition);
      isDone = (await purgeExpired(1_000)) < 1_000;
      largest.events = Math.max(largest.events, before - (await eventsOf(partition)));
    }
    arrivedMeanwhile = receiver.requests.length;
    await receiver.received(raised);
  } finally {
    await loop.stop();
  }

  expect([await eventsOf(partition), largest.events]).toEqual([0, 100]);
  expect(arrivedMeanwhile).toBeGreaterThan(0);
});

test("thousands of pending deliveries do not keep the purge from those after them", async () => {
  const partition = await newPartition();
  const waiting = await newWebhook(receiver.url, partition);
  await raiseBacklog(partition, waiting.id, 5_000, createdAt);
  const finished = await newWebhook(receiver.url);
  await raiseEvent(finished.partition);
  await db().delivery.updateMany({
    where: { webhookId: finished.id },
    data: { status: "DELIVERED", nextAttemptAt: null },
  });
  // All pending ones are older.
  const before = new Date(createdAt.getTime() - 60_000);
  await db().event.updateMany({ where: partition, data: { expiresAt: before } });
  await db().event.updateMany({ where: finished.partition, data: { expiresAt: createdAt } });
  await purgeAll(1_000);
  expect(await countByStatus(partition, waiting.id)).toEqual({ PENDING: 5_000 });
  expect(await eventsOf(finished.partition)).toBe(0);
});
