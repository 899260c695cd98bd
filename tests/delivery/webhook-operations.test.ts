import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mutate, system } from "@/lib/caller";
import { db } from "@/lib/db";
import { enableWebhook, recoverDeliveries, resendDelivery, sendTestEvent } from "@/lib/deliveries/service";
import { embeddedClock, setClock } from "@/lib/jobs/clock";
import { sweepWebhooks } from "@/lib/jobs/sweep-webhooks";
import { workOffBacklog } from "@/lib/jobs/work-off-backlog";
import { attemptDelivery } from "@/lib/webhooks/attempt-delivery";
import { claimDelivery, claimRequested } from "@/lib/webhooks/claim";
import { startDelivering } from "@/lib/webhooks/deliver";
import { rotateSecret, updateWebhook } from "@/lib/webhooks/service";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver";
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

const dayMs = 86_400_000;

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
  setClock(embeddedClock);
  await receiver.close();
});

type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

const startLoops = (count: number, options = {}) => {
  loops = Array.from({ length: count }, () => startDelivering(options));
};
const answerWith = (status: number) => {
  receiver.answer = (response) => void response.writeHead(status).end();
};
const rotate = ({ partition, id }: TestWebhook, overlapSeconds = 86_400) =>
  mutate(system(partition), (caller) => rotateSecret(caller, id, { overlapSeconds }));
const resend = ({ partition, id }: TestWebhook, deliveryId: string) =>
  mutate(system(partition), (caller) => resendDelivery(caller, id, deliveryId));
const sendTest = ({ partition, id }: TestWebhook) => mutate(system(partition), (caller) => sendTestEvent(caller, id));
const setStatus = ({ partition, id }: TestWebhook, status: "ENABLED" | "DISABLED") =>
  mutate(system(partition), (caller) => updateWebhook(caller, id, { status }));
const findDelivery = ({ partition }: TestWebhook, id: string) =>
  db().delivery.findUniqueOrThrow({ where: { tenantId_environment_id: { ...partition, id } } });

async function newDelivery() {
  const webhook = await newWebhook(`${receiver.url}/hook`);
  const [delivery] = await raiseEvent(webhook.partition);
  if (!delivery) throw new Error("the event reached no webhook");
  return { webhook, delivery };
}

/** What a receiver with this secret would say, by Stripe's verifier and by that of Standard Webhooks. */
function accepts(secret: string, received: ReceivedRequest | undefined): [boolean, boolean] {
  const { body = "", headers = {} } = received ?? {};
  const succeeds = (verify: () => unknown) => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  };
  return [
    succeeds(() => new Stripe("sk_test_unused").webhooks.constructEvent(body, String(headers["x-service-signature"]), secret)),
    succeeds(() => new Webhook(secret).verify(body, headers as Record<string, string>)),
  ];
}

test("both secrets sign for 24 hours to the second, the new one first, and then it signs alone", async () => {
  // The verifiers go by the real time, so the rotation lies almost a day back.
  clock.release();
  clock = virtualClock(new Date(Date.now() - dayMs + 60_000));
  const webhook = await newWebhook(receiver.url);
  const send = async () => {
    const [delivery] = await raiseEvent(webhook.partition);
    if (delivery) expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
    return receiver.requests.at(-1);
  };
  const rotatedAt = clock.now();
  const rotated = await rotate(webhook);
  expect(rotated.previousSecretExpiresAt).toBe(new Date(rotatedAt.getTime() + dayMs).toISOString());

  clock.advanceTo(new Date(rotatedAt.getTime() + dayMs - 1_000));
  const during = await send();
  expect(accepts(rotated.secret, during)).toEqual([true, true]);
  expect(accepts(webhook.secret, during)).toEqual([true, true]);
  expect(during?.headers["x-service-signature"]).toMatch(/^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  await expect(rotate(webhook, 1)).rejects.toMatchObject({ kind: "rotation-in-progress" });

  clock.advanceTo(new Date(rotatedAt.getTime() + dayMs + 1_000));
  const afterwards = await send();
  expect(accepts(rotated.secret, afterwards)).toEqual([true, true]);
  expect(accepts(webhook.secret, afterwards)).toEqual([false, false]);
  expect(afterwards?.headers["x-service-signature"]).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);

  // Of the two, the first was the new secret's.
  const withFirst = { ...during?.headers, "x-service-signature": String(during?.headers["x-service-signature"]).replace(/,v1=\w+$/, "") };
  expect(accepts(rotated.secret, during && { ...during, headers: withFirst })[0]).toBe(true);
  expect(accepts(webhook.secret, during && { ...during, headers: withFirst })[0]).toBe(false);
  expect((await rotate(webhook)).secret).not.toBe(rotated.secret);
});

test("a rotation with no overlap ends every older secret at once, also for what waits already", async () => {
  clock.release();
  const { webhook, delivery } = await newDelivery();
  const second = await rotate(webhook);
  const third = await rotate(webhook, 0);
  await attemptDelivery(delivery);
  const [received] = receiver.requests;
  expect([webhook.secret, second.secret, third.secret].map((secret) => accepts(secret, received))).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
});

test("a resend is made by the loop, once, freshly signed, whichever of four loops takes it", async () => {
  const { webhook, delivery } = await newDelivery();
  await attemptDelivery(delivery);
  clock.advance(3_600);
  await resend(webhook, delivery.id);
  startLoops(4);
  await receiver.received(2);
  await expect.poll(async () => (await findDelivery(webhook, delivery.id)).requestedAt).toBeNull();
  await Promise.all(loops.map((loop) => loop.stop()));

  const [first, second] = receiver.requests;
  expect(receiver.requests).toHaveLength(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  const timeOf = (request?: ReceivedRequest) => Number(request?.headers["webhook-timestamp"]);
  expect(timeOf(second) - timeOf(first)).toBe(3_600);
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([{ trigger: "AUTOMATIC" }, { trigger: "MANUAL", number: 2 }]);
});

test("an attempt that was asked for outlives whoever took it", async () => {
  const { webhook, delivery } = await newDelivery();
  await attemptDelivery(delivery);
  await resend(webhook, delivery.id);
  // Claimed, and then the process is gone.
  expect(await claimRequested({ now: clock.now(), limit: 10, overdueSeconds: 0 })).toMatchObject([{ id: delivery.id, trigger: "MANUAL" }]);
  expect(await claimRequested({ now: clock.now(), limit: 10, overdueSeconds: 0 })).toEqual([]);
  expect(await claimDelivery(delivery, clock.now())).toBeNull();

  clock.advance(31);
  expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
  expect(await attemptsOf(webhook.partition, delivery.id)).toHaveLength(2);
  expect(await claimRequested({ now: clock.now(), limit: 10, overdueSeconds: 0 })).toEqual([]);
});

test("a failed resend leaves the schedule as it was, and adds nothing to the count of failures", async () => {
  answerWith(500);
  const { webhook, delivery } = await newDelivery();
  const { retryAt } = await attemptDelivery(delivery);
  for (let index = 0; index < 12; index++) {
    await resend(webhook, delivery.id);
    expect(await attemptDelivery(delivery)).toEqual({ state: "waiting", retryAt });
  }
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 1, probeAfter: null });
  clock.advanceTo(new Date(retryAt ?? 0));
  const second = await attemptDelivery(delivery);
  const delay = (Date.parse(second.retryAt ?? "") - clock.now().getTime()) / 1_000;
  // The second delay of the schedule: the twelve resends counted for nothing.
  expect(delay).toBeGreaterThanOrEqual(120 - 0.001);
  expect(delay).toBeLessThanOrEqual(132.001);
  expect((await attemptsOf(webhook.partition, delivery.id)).map(({ trigger }) => trigger)).toEqual([
    "AUTOMATIC",
    ...Array.from({ length: 12 }, () => "MANUAL"),
    "AUTOMATIC",
  ]);
});

test("tests and resends go out while the webhook pauses after failures, and while it is disabled", async () => {
  answerWith(500);
  const { webhook, delivery } = await newDelivery();
  await db().webhook.updateMany({
    where: { id: webhook.id },
    data: { consecutiveFailures: 10, probeAfter: new Date(clock.now().getTime() + dayMs) },
  });
  expect(await claimDelivery(delivery, clock.now())).toBeNull();
  const paused = await sendTest(webhook);
  expect(await attemptDelivery({ ...webhook.partition, id: paused.id })).toEqual({ state: "failed", retryAt: null });
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 10 });

  await setStatus(webhook, "DISABLED");
  await sweepWebhooks(100);
  const [test, again] = [await sendTest(webhook), await resend(webhook, delivery.id)];
  await sweepWebhooks(100);
  expect([again.status, (await findDelivery(webhook, test.id)).status]).toEqual(["HELD", "PENDING"]);
  startLoops(2);
  await receiver.received(3);
  await expect.poll(() => db().delivery.count({ where: { webhookId: webhook.id, requestedAt: { not: null } } })).toBe(0);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ FAILED: 2, HELD: 1 });
  expect(receiver.requests).toHaveLength(3);
});

test("a test that is told the receiver is gone does not disable the webhook", async () => {
  answerWith(410);
  const webhook = await newWebhook(receiver.url);
  const { id } = await sendTest(webhook);
  expect(await attemptDelivery({ ...webhook.partition, id })).toEqual({ state: "failed", retryAt: null });
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ status: "ENABLED", consecutiveFailures: 0 });
});

test("tests of a webhook that hangs hold up neither its neighbour's nor its own deliveries", async () => {
  const hanging = await startReceiver(() => {});
  try {
    const partition = await newPartition();
    const [slow, quick] = [await newWebhook(hanging.url, partition), await newWebhook(receiver.url, partition)];
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

test("beside Inngest, an attempt that was asked for is taken only when it is overdue by two minutes", async () => {
  const { webhook, delivery } = await newDelivery();
  await attemptDelivery(delivery);
  await resend(webhook, delivery.id);
  const takenBeside = async () => (await claimRequested({ now: clock.now(), limit: 100, overdueSeconds: 120 })).map(({ id }) => id);
  expect(await takenBeside()).not.toContain(delivery.id);
  clock.advance(121);
  expect(await takenBeside()).toContain(delivery.id);
});

test("each resend wakes the clock under the number of its own attempt", async () => {
  const woken: (number | undefined)[] = [];
  setClock({ ...embeddedClock, wake: async (deliveries) => void woken.push(...deliveries.map(({ attemptNumber }) => attemptNumber)) });
  const { webhook, delivery } = await newDelivery();
  await attemptDelivery(delivery);
  for (let index = 0; index < 2; index++) {
    await resend(webhook, delivery.id);
    await attemptDelivery(delivery);
  }
  expect(woken).toEqual([undefined, 2, 3]);
});

test("5,000 failed deliveries are recovered in batches, fifty a second, and none twice", async () => {
  const webhook = await newWebhook(receiver.url);
  const count = 5_000;
  await raiseBacklog(webhook.partition, webhook.id, count, clock.now());
  await db().delivery.updateMany({
    where: { webhookId: webhook.id },
    data: { status: "FAILED", automaticCount: 8, attemptCount: 8, nextAttemptAt: null },
  });
  const body = { since: new Date(Date.now() - dayMs), until: undefined, dryRun: false };
  expect(await mutate(system(webhook.partition), (caller) => recoverDeliveries(caller, webhook.id, body))).toEqual({ count });

  // A call ends after twenty batches; two at once take turns.
  expect(await Promise.all([workOffBacklog(100), workOffBacklog(100)]).then(([a, b]) => a + b)).toBeGreaterThan(0);
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

test("what is resumed after a disabling is delivered, each once", async () => {
  const webhook = await newWebhook(receiver.url);
  await setStatus(webhook, "DISABLED");
  for (let index = 0; index < 20; index++) await raiseEvent(webhook.partition);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 20 });
  await mutate(system(webhook.partition), (caller) => enableWebhook(caller, webhook.id, { held: "RESUME" }));
  startLoops(2);
  expect(await workOffBacklog(7)).toBe(20);
  clock.advance(1);
  for (const loop of loops) loop.wake();
  await receiver.received(20);
  await Promise.all(loops.map((loop) => loop.stop()));
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 20 });
  expect(new Set(receiver.requests.map(({ headers }) => headers["x-service-event-id"])).size).toBe(20);
  expect(receiver.requests).toHaveLength(20);
});
