import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/lib/db";
import { attemptDelivery } from "@/lib/webhooks/attempt-delivery";
import { claimDelivery } from "@/lib/webhooks/claim";
import { recordAttempts } from "@/lib/webhooks/record";
import { type Receiver, startReceiver } from "../support/receiver";
import { attemptsOf, countByStatus, findWebhook, newWebhook, raiseEvent, type VirtualClock, virtualClock } from "../support/webhooks";

let receiver: Receiver;
let clock: VirtualClock;
beforeEach(async () => {
  receiver = await startReceiver();
  clock = virtualClock();
});
afterEach(async () => {
  clock.release();
  await receiver.close();
});

const answerWith = (status: number, headers: Record<string, string> = {}) => {
  receiver.answer = (response) => void response.writeHead(status, headers).end();
};

async function newDelivery() {
  const webhook = await newWebhook(`${receiver.url}/hook`);
  const [delivery] = await raiseEvent(webhook.partition);
  if (!delivery) throw new Error("the event reached no webhook");
  return { webhook, delivery };
}

test("a delivery that succeeds is sent once, whole and signed, and recorded", async () => {
  const { webhook, delivery } = await newDelivery();
  const event = await db().event.findFirstOrThrow({ where: webhook.partition });

  expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
  expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });

  expect(receiver.requests).toHaveLength(1);
  const [received] = receiver.requests;
  expect(received).toMatchObject({ method: "POST", path: "/hook", body: event.payload });
  expect(received?.headers).toMatchObject({
    "content-type": "application/json",
    "x-service-event-id": event.id,
    "x-service-event-type": "message.received",
    "x-service-delivery-id": delivery.id,
    "x-service-attempt": "1",
    "webhook-id": event.id,
  });
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
    { number: 1, trigger: "AUTOMATIC", statusCode: 200, errorCode: null, response: "ok" },
  ]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 0, lastSuccessAt: clock.now() });
});

test("what arrives is verified by Stripe's verifier and by that of Standard Webhooks", async () => {
  clock.advanceTo(new Date());
  clock.release();
  const { webhook, delivery } = await newDelivery();
  await attemptDelivery(delivery);

  const [received] = receiver.requests;
  const headers = received?.headers as Record<string, string>;
  const body = received?.body ?? "";
  const verified = new Stripe("sk_test_unused").webhooks.constructEvent(body, headers["x-service-signature"] ?? "", webhook.secret);
  expect(verified).toMatchObject({ type: "message.received", data: { object: { text: "Grüße" } } });
  expect(new Webhook(webhook.secret).verify(body, headers)).toMatchObject({ type: "message.received" });
});

test("eight attempts and no ninth, each at its time, with the same bytes and id and a fresh signature", async () => {
  answerWith(500);
  const { webhook, delivery } = await newDelivery();
  const schedule = [30, 120, 600, 1_800, 7_200, 28_800, 86_400];

  for (const [index, seconds] of schedule.entries()) {
    const failedAt = clock.now().getTime();
    const { state, retryAt } = await attemptDelivery(delivery);
    expect(state).toBe("waiting");
    const delay = (new Date(retryAt ?? 0).getTime() - failedAt) / 1000;
    const [least, most] = index < 6 ? [seconds, seconds * 1.1] : [seconds * 0.9, seconds];
    expect(delay).toBeGreaterThanOrEqual(least - 0.001);
    expect(delay).toBeLessThanOrEqual(most + 0.001);

    clock.advanceTo(new Date(new Date(retryAt ?? 0).getTime() - 1));
    expect(await attemptDelivery(delivery)).toEqual({ state: "waiting", retryAt });
    expect(receiver.requests).toHaveLength(index + 1);
    clock.advanceTo(new Date(retryAt ?? 0));
  }
  expect(await attemptDelivery(delivery)).toEqual({ state: "failed", retryAt: null });
  clock.advance(1_000_000);
  expect(await attemptDelivery(delivery)).toEqual({ state: "failed", retryAt: null });

  const { requests } = receiver;
  expect(requests).toHaveLength(8);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers["x-service-event-id"])).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(1);
  expect(requests.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  const signatures = requests.map(({ headers }) => String(headers["x-service-signature"]));
  expect(new Set(signatures.map((signature) => signature.split(",")[0])).size).toBe(8);
  expect(new Set(signatures.map((signature) => signature.split(",")[1])).size).toBe(8);
  expect((await attemptsOf(webhook.partition, delivery.id)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 8, status: "ENABLED" });
});

test("a receiver that is down at first gets the event when it is back", async () => {
  answerWith(503);
  const { delivery } = await newDelivery();
  const { retryAt } = await attemptDelivery(delivery);
  answerWith(204);
  clock.advanceTo(new Date(retryAt ?? 0));
  expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
});

test.each([
  [429, "300", 300],
  [503, "300", 300],
  [503, "5", 30],
  [503, "999999999", 86_400],
  [500, "300", 30],
])("%i with Retry-After %s waits at least %i s", async (status, value, seconds) => {
  answerWith(status, { "retry-after": value });
  const { delivery } = await newDelivery();
  const { retryAt } = await attemptDelivery(delivery);
  const delay = (new Date(retryAt ?? 0).getTime() - clock.now().getTime()) / 1000;
  expect(delay).toBeGreaterThanOrEqual(seconds - 0.001);
  expect(delay).toBeLessThanOrEqual(Math.max(seconds, 33.001));
});

test("410 disables at once: what waits is held, and other webhooks are told", async () => {
  const { webhook, delivery } = await newDelivery();
  const [second] = await raiseEvent(webhook.partition);
  const other = await newWebhook(`${receiver.url}/other`, webhook.partition);
  answerWith(410);

  expect(await attemptDelivery(delivery)).toEqual({ state: "held", retryAt: null });
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    status: "DISABLED",
    disabledReason: "GONE",
    disabledAt: clock.now(),
  });
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 2 });
  expect(second && (await attemptDelivery(second))).toEqual({ state: "held", retryAt: null });
  expect(receiver.requests).toHaveLength(1);

  const told = await db().delivery.findMany({ where: { ...webhook.partition, eventType: "webhook.disabled" }, include: { event: true } });
  expect(told.map(({ webhookId }) => webhookId)).toEqual([other.id]);
  expect(JSON.parse(told[0]?.event.payload ?? "")).toMatchObject({
    type: "webhook.disabled",
    request: null,
    data: { object: { id: webhook.id, status: "DISABLED", disabledReason: "GONE", consecutiveFailures: 1 } },
  });
  const audited = await db().auditEntry.findMany({ where: { tenantId: webhook.partition.tenantId, action: "webhook.disabled" } });
  expect(audited).toMatchObject([{ targetId: webhook.id, actorType: "SYSTEM" }]);
});

test("new deliveries of a disabled webhook are held", async () => {
  answerWith(410);
  const { webhook, delivery } = await newDelivery();
  await attemptDelivery(delivery);
  const [held] = await raiseEvent(webhook.partition);
  expect(held && (await attemptDelivery(held))).toEqual({ state: "held", retryAt: null });
  expect(receiver.requests).toHaveLength(1);
});

test("only one of many simultaneous attempts sends", async () => {
  const { delivery } = await newDelivery();
  receiver.answer = (response) => void setTimeout(() => response.end("ok"), 100);
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => attemptDelivery(delivery)));
  expect(receiver.requests).toHaveLength(1);
  expect(outcomes.filter(({ state }) => state === "delivered")).toHaveLength(1);
  expect(outcomes.filter(({ state }) => state === "waiting")).toHaveLength(7);
});

test("a lease that ended is claimed again, and its first holder changes nothing any more", async () => {
  const { webhook, delivery } = await newDelivery();
  const zombie = await claimDelivery(delivery, clock.now());
  if (!zombie) throw new Error("the delivery could not be claimed");
  expect(await claimDelivery(delivery, clock.now())).toBeNull();
  clock.advance(29);
  expect((await attemptDelivery(delivery)).state).toBe("waiting");
  clock.advance(1);
  expect((await attemptDelivery(delivery)).state).toBe("delivered");

  const late = {
    delivery: zombie,
    result: { errorCode: "timeout" as const, durationMs: 1 },
    startedAt: clock.now(),
    trigger: "AUTOMATIC" as const,
  };
  expect(await recordAttempts([late], clock.now())).toEqual([null]);
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([{ number: 1, statusCode: 200 }]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 0 });
});

test("an attempt that is recorded twice counts once", async () => {
  const { webhook, delivery } = await newDelivery();
  const claimed = await claimDelivery(delivery, clock.now());
  if (!claimed) throw new Error("the delivery could not be claimed");
  const ended = {
    delivery: claimed,
    result: { statusCode: 500, response: "", durationMs: 1 },
    startedAt: clock.now(),
    trigger: "AUTOMATIC" as const,
  };
  await recordAttempts([ended], clock.now());
  expect(await recordAttempts([ended, ended], clock.now())).toEqual([null, null]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 1 });
  expect(await attemptsOf(webhook.partition, delivery.id)).toHaveLength(1);
});

test("a failed manual attempt adds nothing to the count, and leaves the delivery as it was", async () => {
  const { webhook, delivery } = await newDelivery();
  const claimed = await claimDelivery(delivery, clock.now());
  if (!claimed) throw new Error("the delivery could not be claimed");
  const ended = {
    delivery: claimed,
    result: { statusCode: 500, response: "", durationMs: 1 },
    startedAt: clock.now(),
    trigger: "MANUAL" as const,
  };
  expect(await recordAttempts([ended], clock.now())).toMatchObject([{ status: "PENDING", consecutiveFailures: 0 }]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 0, lastFailureAt: null });
  expect((await attemptDelivery(delivery)).state).toBe("delivered");
  expect((await attemptsOf(webhook.partition, delivery.id)).map(({ number, trigger }) => [number, trigger])).toEqual([
    [1, "MANUAL"],
    [2, "AUTOMATIC"],
  ]);
});

test("within one batch the count follows the order in which attempts ended", async () => {
  const webhook = await newWebhook(receiver.url);
  const claimed = [];
  for (let index = 0; index < 4; index++) {
    const [delivery] = await raiseEvent(webhook.partition);
    const claim = delivery && (await claimDelivery(delivery, clock.now()));
    if (claim) claimed.push(claim);
  }
  const ended = claimed.map((delivery, index) => ({
    delivery,
    result: { statusCode: index === 1 ? 200 : 500, response: "", durationMs: 1 },
    startedAt: clock.now(),
    trigger: "AUTOMATIC" as const,
  }));
  const recorded = await recordAttempts(ended, clock.now());
  expect(recorded.map((record) => record?.status)).toEqual(["PENDING", "DELIVERED", "PENDING", "PENDING"]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({ consecutiveFailures: 2 });
});
