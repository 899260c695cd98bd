import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/lib/db";
import { sweepWebhooks } from "@/lib/jobs/sweep-webhooks";
import { listenForWakeUps } from "@/lib/jobs/wake-listener";
import { claimDeliveries, startOfWalk } from "@/lib/webhooks/claim";
import { startDelivering } from "@/lib/webhooks/deliver";
import { deadlineMs } from "@/lib/webhooks/outbound-request";
import { openHostile } from "../support/gallery";
import { type Receiver, startReceiver } from "../support/receiver";
import {
  attemptsOf,
  countByStatus,
  findWebhook,
  newPartition,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

let receiver: Receiver;
let clock: VirtualClock;
let loops: ReturnType<typeof startDelivering>[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
  clock = virtualClock();
});
afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  loops = [];
  clock.release();
  await receiver.close();
});

function startLoops(count: number): void {
  loops = Array.from({ length: count }, () => startDelivering());
}
const wakeAll = () => {
  for (const loop of loops) loop.wake();
};
const answerWith = (status: number) => {
  receiver.answer = (response) => void response.writeHead(status).end();
};
const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);
const failuresOf = async (webhook: Webhook) => (await findWebhook(webhook.partition, webhook.id)).consecutiveFailures;
const underWay = ({ partition, id }: Webhook) =>
  db().delivery.count({ where: { ...partition, webhookId: id, leaseHolder: { not: null } } });
type Webhook = Awaited<ReturnType<typeof newWebhook>>;

/** Moves time from probe to probe until the webhook has failed so often, or is disabled. */
async function failUntil(webhook: Webhook, count: number): Promise<void> {
  for (;;) {
    wakeAll();
    const failures = await failuresOf(webhook);
    if (failures >= count) return;
    if (failures >= 10) {
      // Nothing is under way while time moves, so no lease ends before its attempt does.
      await expect.poll(() => underWay(webhook), { timeout: 5_000, interval: 2 }).toBe(0);
      if ((await failuresOf(webhook)) !== failures) continue;
      clock.advance(7.5);
    }
    wakeAll();
    await expect.poll(() => failuresOf(webhook), { timeout: 5_000, interval: 2 }).toBeGreaterThan(failures);
  }
}

test("a backlog is delivered once each by four loops at once", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 2_000, minutesAgo(1));
  startLoops(4);
  await receiver.received(2_000);
  await Promise.all(loops.map((loop) => loop.stop()));
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 2_000 });
  expect(receiver.requests).toHaveLength(2_000);
  expect(new Set(receiver.requests.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(2_000);
  expect(await db().deliveryAttempt.count({ where: webhook.partition })).toBe(2_000);
});

test("the commit of an event wakes the loop", async () => {
  clock.release();
  startLoops(1);
  const listener = listenForWakeUps(wakeAll);
  const webhook = await newWebhook(receiver.url);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const latencies: number[] = [];
  for (let index = 0; index < 30; index++) {
    await raiseEvent(webhook.partition);
    const committedAt = performance.now();
    await receiver.received(index + 1);
    latencies.push((receiver.requests[index]?.receivedAt ?? 0) - committedAt);
  }
  await listener.stop();
  latencies.sort((a, b) => a - b);
  // Far below the second that polling alone would take; how far, the benchmark says.
  expect(latencies[15]).toBeLessThan(500);
});

test("99 failures, a success and 99 more do not disable, 100 do, under eight loops at once", async () => {
  answerWith(500);
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 300, minutesAgo(1));
  startLoops(8);

  await failUntil(webhook, 99);
  expect(await failuresOf(webhook)).toBe(99);
  await expect.poll(() => underWay(webhook)).toBe(0);
  receiver.answer = (response) => {
    // One success, and from then on failures again.
    answerWith(500);
    response.writeHead(200).end();
  };
  clock.advance(7.5);
  wakeAll();
  await expect.poll(async () => (await findWebhook(webhook.partition, webhook.id)).lastSuccessAt).not.toBeNull();
  await failUntil(webhook, 99);
  expect(await failuresOf(webhook)).toBe(99);
  expect((await findWebhook(webhook.partition, webhook.id)).status).toBe("ENABLED");

  await failUntil(webhook, 100);
  await expect.poll(async () => (await findWebhook(webhook.partition, webhook.id)).status).toBe("DISABLED");
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 100,
    disabledReason: "CONSECUTIVE_FAILURES",
  });

  const sent = receiver.requests.length;
  expect(sent).toBe(200);
  for (let step = 0; step < 5; step++) {
    clock.advance(100_000);
    wakeAll();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(receiver.requests).toHaveLength(sent);
  await expect.poll(() => countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 299, DELIVERED: 1 });
});

test("a hundred events to a host that refuses cost a few attempts, and the webhook is probed from then on", async () => {
  const refusing = await openHostile("resets at once");
  const webhook = await newWebhook(refusing.url);
  await raiseBacklog(webhook.partition, webhook.id, 100, minutesAgo(1));
  startLoops(2);
  await expect.poll(() => failuresOf(webhook), { timeout: 5_000 }).toBeGreaterThanOrEqual(10);
  for (let step = 0; step < 5; step++) {
    wakeAll();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const failures = await failuresOf(webhook);
  expect(failures).toBeLessThanOrEqual(16);
  expect(await db().delivery.count({ where: { ...webhook.partition, automaticCount: 0 } })).toBe(100 - failures);

  for (let probe = 1; probe <= 3; probe++) {
    clock.advance(7.4);
    wakeAll();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await failuresOf(webhook)).toBe(failures + probe - 1);
    clock.advance(0.2);
    wakeAll();
    await expect.poll(() => failuresOf(webhook), { timeout: 2_000 }).toBe(failures + probe);
  }
  await refusing.close();
});

test("a receiver that recovers gets all that waited", async () => {
  answerWith(500);
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 200, minutesAgo(1));
  startLoops(2);
  await failUntil(webhook, 12);
  answerWith(200);
  clock.advance(60);
  wakeAll();
  await expect.poll(() => countByStatus(webhook.partition, webhook.id), { timeout: 10_000 }).toEqual({ DELIVERED: 200 });
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 0, probeAfter: null });
});

test("20,000 due rows of one webhook do not hold the others up", async () => {
  const partition = await newPartition();
  const crowded = await newWebhook(receiver.url, partition);
  await raiseBacklog(partition, crowded.id, 20_000, minutesAgo(60));
  const others: Webhook[] = [];
  for (let index = 0; index < 15; index++) {
    const other = await newWebhook(receiver.url);
    await raiseBacklog(other.partition, other.id, 3, minutesAgo(1));
    others.push(other);
  }

  const startedAt = performance.now();
  const { deliveries } = await claimDeliveries({
    ...{ now: clock.now(), limit: 100, cursor: startOfWalk, overdueSeconds: 0 },
    ...{ allowances: new Map(), defaultAllowance: 4 },
  });
  const durationMs = performance.now() - startedAt;
  const claimedOf = (id: string) => deliveries.filter(({ webhookId }) => webhookId === id).length;
  expect(claimedOf(crowded.id)).toBeLessThanOrEqual(6);
  for (const other of others) expect(claimedOf(other.id)).toBe(3);
  expect(durationMs).toBeLessThan(1_000);
});

test("waiting webhooks beyond one walk's steps are all reached", async () => {
  const partitions = await Promise.all(Array.from({ length: 8 }, () => newPartition()));
  const webhooks = await Promise.all(
    partitions.flatMap((partition) => Array.from({ length: 20 }, () => newWebhook(receiver.url, partition))),
  );
  const hog = webhooks[0];
  if (!hog) throw new Error("there is no webhook");
  await raiseBacklog(hog.partition, hog.id, 500, minutesAgo(60));
  for (const partition of partitions) await raiseEvent(partition);

  // Whoever was claimed stays under way, so what is left must be found by the walk.
  const reached = new Set<string>();
  let cursor = startOfWalk;
  for (let round = 0; round < 8; round++) {
    const claim = await claimDeliveries({
      ...{ now: clock.now(), limit: 100, cursor, overdueSeconds: 0 },
      ...{ allowances: new Map([[hog.id, 1]]), defaultAllowance: 4 },
    });
    cursor = claim.cursor;
    for (const { webhookId } of claim.deliveries) reached.add(webhookId);
  }
  for (const { id } of webhooks) expect(reached).toContain(id);
});

test("healthy webhooks are served at once while nine of ten hang", async () => {
  const hanging = await openHostile("accepts and keeps silent");
  const partition = await newPartition();
  for (let index = 0; index < 18; index++) {
    const webhook = await newWebhook(hanging.url, partition);
    await raiseBacklog(partition, webhook.id, 100, minutesAgo(60));
  }
  startLoops(1);
  const healthy = await Promise.all([newWebhook(receiver.url), newWebhook(receiver.url)]);
  for (const webhook of healthy) await raiseBacklog(webhook.partition, webhook.id, 50, minutesAgo(1));
  const startedAt = performance.now();
  wakeAll();
  await receiver.received(100);
  // None of those that hang has come to its deadline: nobody waited for them.
  expect(performance.now() - startedAt).toBeLessThan(deadlineMs);
  // Cuts what hangs, so that stopping need not wait for the deadline.
  await hanging.close();
});

test("beside Inngest only what is overdue by two minutes is taken", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 1, clock.now());
  loops = [startDelivering({ overdueSeconds: 120 })];
  clock.advance(119);
  wakeAll();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(receiver.requests).toHaveLength(0);
  clock.advance(1);
  wakeAll();
  await receiver.received(1);
});

test("stopping finishes what is under way and records it", async () => {
  receiver.answer = (response) => void setTimeout(() => response.end("late"), 300);
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 10, minutesAgo(1));
  startLoops(1);
  await receiver.received(1);
  await loops[0]?.stop();
  const underWay = receiver.requests.length;
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: underWay, PENDING: 10 - underWay });
  expect(await db().delivery.count({ where: { ...webhook.partition, leaseHolder: { not: null } } })).toBe(0);
});

test("the sweep finishes a disabling that was interrupted", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 3, minutesAgo(1));
  const where = { tenantId_environment_id: { ...webhook.partition, id: webhook.id } };
  await db().webhook.update({ where, data: { consecutiveFailures: 100 } });
  expect(await sweepWebhooks(100)).toBe(1);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ status: "DISABLED", disabledReason: "CONSECUTIVE_FAILURES" });
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 3 });

  await db().delivery.updateMany({
    where: { ...webhook.partition, webhookId: webhook.id },
    data: { status: "PENDING", nextAttemptAt: minutesAgo(1) },
  });
  expect(await sweepWebhooks(100)).toBe(1);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 3 });
  expect(await sweepWebhooks(100)).toBe(0);
});

test("a failure that ends after its webhook was disabled is held, not retried", async () => {
  const webhook = await newWebhook(receiver.url);
  const [delivery] = await raiseEvent(webhook.partition);
  const where = { tenantId_environment_id: { ...webhook.partition, id: webhook.id } };
  receiver.answer = async (response) => {
    await db().webhook.update({ where, data: { status: "DISABLED", disabledReason: "MANUAL" } });
    response.writeHead(500).end();
  };
  startLoops(1);
  await expect.poll(() => countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 1 });
  expect(await attemptsOf(webhook.partition, delivery?.id ?? "")).toHaveLength(1);
});
