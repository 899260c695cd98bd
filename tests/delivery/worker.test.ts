import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { claimDeliveries, claimRequested, startOfScan } from "@/lib/deliveries/engine/claim";
import { type DeliverOptions, startDelivering } from "@/lib/deliveries/engine/deliver";
import { createAllowances } from "@/lib/deliveries/engine/webhook-concurrency";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { recoverDeliveries, resendDelivery, sendTestEvent } from "@/lib/deliveries/service";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { deadlineMs } from "@/lib/platform/outbound-http/outbound-request";
import { listenForWakeUps } from "@/lib/scheduling/wake-listener";
import { openHostile } from "../support/gallery";
import { holdResponses, type Receiver, startReceiver } from "../support/receiver";
import {
  countAttempts,
  countByStatus,
  findWebhook,
  newDelivery,
  newPartition,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type TestWebhook,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// What is specific to the worker: loops that share the work, a share for each webhook, and its end.
// What both clocks promise is tested by the suites that run with each of them.

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
const sendTest = ({ partition, id }: TestWebhook) =>
  mutate(system(partition), (caller) => sendTestEvent(caller, id));
const minutesAgo = (minutes: number) => clock.minutesAgo(minutes);
const failuresOf = async (webhook: TestWebhook) =>
  (await findWebhook(webhook.partition, webhook.id)).consecutiveFailures;
const underWay = ({ partition, id }: TestWebhook) =>
  db().delivery.count({ where: { ...partition, webhookId: id, leaseHolder: { not: null } } });

/**
 * Resolves when the loops have claimed and sent what was due: a delivery of another webhook, which
 * is due last, has arrived, and the loops have ended with all that they claimed. Starts as many
 * again.
 */
async function claimRound(options?: DeliverOptions): Promise<void> {
  const witness = await startReceiver();
  const { partition, id } = await newWebhook(witness.url);
  const overdue = new Date(clock.now().getTime() - (options?.overdueSeconds?.() ?? 0) * 1_000);
  await raiseBacklog(partition, id, 1, overdue);
  wakeAll();
  await witness.received(1);
  await Promise.all(loops.map((loop) => loop.stop()));
  loops = loops.map(() => startDelivering(options));
  await witness.close();
}

/** Moves time from probe to probe until the webhook has failed so often, or is disabled. */
async function failUntil(webhook: TestWebhook, count: number): Promise<void> {
  for (;;) {
    wakeAll();
    const failures = await failuresOf(webhook);
    if (failures >= count) return;
    if (failures >= 10) {
      // Nothing is in progress while time moves, so no lease ends before its attempt.
      await expect.poll(() => underWay(webhook), { interval: 2 }).toBe(0);
      if ((await failuresOf(webhook)) !== failures) continue;
      clock.advance(7.5);
    }
    wakeAll();
    await expect.poll(() => failuresOf(webhook), { interval: 2 }).toBeGreaterThan(failures);
  }
}

test("four concurrent loops send each delivery of a backlog once", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 2_000, minutesAgo(1));
  startLoops(4);
  await receiver.received(2_000);
  await Promise.all(loops.map((loop) => loop.stop()));
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 2_000 });
  expect(receiver.requests).toHaveLength(2_000);
  expect(
    new Set(receiver.requests.map(({ headers }) => headers["x-service-delivery-id"])).size,
  ).toBe(2_000);
  expect(await countAttempts(webhook.partition)).toBe(2_000);
});

test("the commit of an event wakes the loop", async () => {
  clock.release();
  // It never polls, so each delivery was sent because of a wake-up.
  loops = [startDelivering({ pollMs: 2 ** 31 - 1 })];
  const listener = listenForWakeUps(wakeAll);
  await listener.listening;
  const webhook = await newWebhook(receiver.url);
  for (let index = 0; index < 30; index++) {
    await raiseEvent(webhook.partition);
    await receiver.received(index + 1);
  }
  listener.stop();
});

test("99 failures, a success and 99 more do not disable, 100 do, with eight concurrent loops", async () => {
  receiver.respondWith(500);
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 300, minutesAgo(1));
  startLoops(8);

  await failUntil(webhook, 99);
  expect(await failuresOf(webhook)).toBe(99);
  await expect.poll(() => underWay(webhook)).toBe(0);
  receiver.respond = (response) => {
    // One success, and from then on failures again.
    receiver.respondWith(500);
    response.writeHead(200).end();
  };
  clock.advance(7.5);
  wakeAll();
  await expect
    .poll(async () => (await findWebhook(webhook.partition, webhook.id)).lastSuccessAt)
    .not.toBeNull();
  await failUntil(webhook, 99);
  expect(await failuresOf(webhook)).toBe(99);
  expect((await findWebhook(webhook.partition, webhook.id)).status).toBe("ENABLED");

  await failUntil(webhook, 100);
  await expect
    .poll(async () => (await findWebhook(webhook.partition, webhook.id)).status)
    .toBe("DISABLED");
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 100,
    disabledReason: "CONSECUTIVE_FAILURES",
  });

  const sent = receiver.requests.length;
  expect(sent).toBe(200);
  for (let step = 0; step < 5; step++) {
    clock.advance(100_000);
    await claimRound();
  }
  expect(receiver.requests).toHaveLength(sent);
  await expect
    .poll(() => countByStatus(webhook.partition, webhook.id))
    .toEqual({ HELD: 299, DELIVERED: 1 });
});

test("20,000 due deliveries of one webhook do not delay the others", async () => {
  const partition = await newPartition();
  const crowded = await newWebhook(receiver.url, partition);
  await raiseBacklog(partition, crowded.id, 20_000, minutesAgo(60));
  const others: TestWebhook[] = [];
  for (let index = 0; index < 15; index++) {
    const other = await newWebhook(receiver.url);
    await raiseBacklog(other.partition, other.id, 3, minutesAgo(1));
    others.push(other);
  }

  const { deliveries } = await claimDeliveries({
    ...{ now: clock.now(), limit: 100, cursor: startOfScan, overdueSeconds: 0 },
    ...{ allowances: new Map(), defaultAllowance: 4 },
  });
  const claimedOf = (id: string) => deliveries.filter(({ webhookId }) => webhookId === id).length;
  expect(claimedOf(crowded.id)).toBeLessThanOrEqual(6);
  for (const other of others) expect(claimedOf(other.id)).toBe(3);
});

test("webhooks beyond the steps of one round-robin scan are all reached", async () => {
  const partitions = await Promise.all(Array.from({ length: 8 }, () => newPartition()));
  // One transaction for each connection at most, so that none waits too long for one.
  const webhooks: TestWebhook[] = [];
  for (let index = 0; index < 20; index++)
    webhooks.push(
      ...(await Promise.all(partitions.map((partition) => newWebhook(receiver.url, partition)))),
    );
  const hog = webhooks[0];
  if (!hog) throw new Error("there is no webhook");
  await raiseBacklog(hog.partition, hog.id, 500, minutesAgo(60));
  for (const partition of partitions) await raiseEvent(partition);

  // Claimed deliveries stay in progress, so the scan must find the rest.
  const reached = new Set<string>();
  let cursor = startOfScan;
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

test("healthy webhooks are served immediately while nine of ten hang", async () => {
  const hanging = await openHostile("accepts and stays silent");
  const partition = await newPartition();
  for (let index = 0; index < 18; index++) {
    const webhook = await newWebhook(hanging.url, partition);
    await raiseBacklog(partition, webhook.id, 100, minutesAgo(60));
  }
  const beganMs = performance.now();
  startLoops(1);
  const healthy = await Promise.all([newWebhook(receiver.url), newWebhook(receiver.url)]);
  for (const webhook of healthy)
    await raiseBacklog(webhook.partition, webhook.id, 50, minutesAgo(1));
  wakeAll();
  await receiver.received(100);
  // At most the first attempts at those that hang have ended: no healthy one waited for a second
  // round. A busy machine may need longer than a round takes.
  const ended = await countAttempts(partition);
  const rounds = Math.max(1, Math.floor((performance.now() - beganMs) / deadlineMs));
  expect(ended).toBeLessThanOrEqual(rounds * 18 * createAllowances(128).initialLimit);
  // Ends the hanging requests, so that stopping does not wait for the deadline.
  await hanging.close();
});

test("next to Inngest, only deliveries that are overdue by two minutes are claimed", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 1, clock.now());
  loops = [startDelivering({ overdueSeconds: () => 120 })];
  clock.advance(119);
  await claimRound({ overdueSeconds: () => 120 });
  expect(receiver.requests).toHaveLength(0);
  clock.advance(1);
  wakeAll();
  await receiver.received(1);
});

test("stopping completes and records the attempts in progress", async () => {
  const responses = holdResponses(receiver);
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 10, minutesAgo(1));
  startLoops(1);
  await receiver.received(1);
  const stopped = loops[0]?.stop();
  responses.release();
  await stopped;
  const underWay = receiver.requests.length;
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({
    DELIVERED: underWay,
    PENDING: 10 - underWay,
  });
  expect(
    await db().delivery.count({ where: { ...webhook.partition, leaseHolder: { not: null } } }),
  ).toBe(0);
});

test("tests of a webhook that hangs delay neither the deliveries of others nor its own", async () => {
  const hanging = await startReceiver(() => {});
  try {
    const partition = await newPartition();
    const [slow, quick] = [
      await newWebhook(hanging.url, partition),
      await newWebhook(receiver.url, partition),
    ];
    for (let index = 0; index < 30; index++) await sendTest(slow);
    await sendTest(quick);
    startLoops(1);
    await receiver.received(1);
    // Five of them have their turn; the others wait for these.
    await expect.poll(() => hanging.requests.length).toBe(5);
    expect(receiver.requests).toHaveLength(1);
    loops.map((loop) => loop.stop(0));
    loops = [];
  } finally {
    await hanging.close();
  }
});

test("next to Inngest, a requested attempt is claimed only when it is overdue by two minutes", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
  await attemptDelivery(delivery);
  await mutate(system(webhook.partition), (caller) =>
    resendDelivery(caller, webhook.id, delivery.id),
  );
  const takenBeside = async () =>
    (await claimRequested({ now: clock.now(), limit: 100, overdueSeconds: 120 })).deliveries.map(
      ({ id }) => id,
    );
  expect(await takenBeside()).not.toContain(delivery.id);
  clock.advance(121);
  expect(await takenBeside()).toContain(delivery.id);
});

test("5,000 failed deliveries are recovered in batches, fifty a second, and none twice", async () => {
  const webhook = await newWebhook(receiver.url);
  const count = 5_000;
  await raiseBacklog(webhook.partition, webhook.id, count, clock.now());
  await db().delivery.updateMany({
    where: { webhookId: webhook.id },
    data: { status: "FAILED", automaticCount: 8, attemptCount: 8, nextAttemptAt: null },
  });
  const body = { since: new Date(Date.now() - 86_400_000), until: undefined, dryRun: false };
  expect(
    await mutate(system(webhook.partition), (caller) =>
      recoverDeliveries(caller, webhook.id, body),
    ),
  ).toEqual({ count });

  // A call ends after twenty batches; two concurrent calls take turns.
  expect(
    await Promise.all([workOffBacklog(100), workOffBacklog(100)]).then(([a, b]) => a + b),
  ).toBeGreaterThan(0);
  while ((await workOffBacklog(100)) > 0);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: count });
  const { _min, _max } = await db().delivery.aggregate({
    where: { webhookId: webhook.id },
    _min: { nextAttemptAt: true },
    _max: { nextAttemptAt: true },
  });
  expect(_min.nextAttemptAt).toEqual(clock.now());
  const spreadSeconds = ((_max.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime()) / 1_000;
  expect(spreadSeconds).toBeCloseTo((count - 1) / 50, 1);
  const busiest = await db().delivery.groupBy({
    by: ["nextAttemptAt"],
    where: { webhookId: webhook.id },
    _count: true,
    orderBy: { _count: { id: "desc" } },
    take: 1,
  });
  expect(busiest[0]?._count).toBe(1);
});
