import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { attemptDeliveries } from "@/lib/deliveries/engine/attempt-deliveries";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { recordAttempts } from "@/lib/deliveries/engine/record";
import { stopAttempting } from "@/lib/deliveries/engine/stop-attempting";
import { getDelivery, resendDelivery } from "@/lib/deliveries/service";
import { mutate, reader, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { holdResponses, type Receiver, startReceiver } from "../support/receiver";
import {
  attemptsOf,
  findWebhook,
  newDelivery,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// The steps that both clocks share: claim, send and record one delivery.

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

test("Stripe's verifier and the one of Standard Webhooks accept what a receiver gets", async () => {
  clock.advanceTo(new Date());
  clock.release();
  const { webhook, delivery } = await newDelivery(receiver.url);
  await attemptDelivery(delivery);

  const [received] = receiver.requests;
  const headers = received?.headers as Record<string, string>;
  const body = received?.body ?? "";
  const verified = new Stripe("sk_test_unused").webhooks.constructEvent(
    body,
    headers["x-service-signature"] ?? "",
    webhook.secret,
  );
  expect(verified).toMatchObject({ type: "message.received", data: { object: { text: "Grüße" } } });
  expect(new Webhook(webhook.secret).verify(body, headers)).toMatchObject({
    type: "message.received",
  });
});

test("a first success is stored in its delivery and read as one attempt, before and after a resend", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
  await attemptDelivery(delivery);
  const caller = reader(system(webhook.partition));
  const numbers = async () =>
    (await getDelivery(caller, webhook.id, delivery.id)).attempts.map(({ number, statusCode }) => [
      number,
      statusCode,
    ]);
  expect(await db().deliveryAttempt.count({ where: webhook.partition })).toBe(0);
  expect(await numbers()).toEqual([[1, 200]]);

  receiver.respondWith(500);
  await mutate(system(webhook.partition), (inside) =>
    resendDelivery(inside, webhook.id, delivery.id),
  );
  await attemptDelivery(delivery);
  expect(await db().deliveryAttempt.count({ where: webhook.partition })).toBe(1);
  expect(await numbers()).toEqual([
    [1, 200],
    [2, 500],
  ]);
});

test("a result that the database does not take at once is recorded later, and nothing is sent again", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
  await pool().query(`
    CREATE SEQUENCE refusals;
    CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('refusals') = 1 THEN RAISE EXCEPTION 'shutting down' USING ERRCODE = '57P01'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_once BEFORE UPDATE OF attempt_count ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse_once()`);
  try {
    expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
  } finally {
    await pool().query("DROP FUNCTION refuse_once CASCADE; DROP SEQUENCE refusals");
  }
  expect(receiver.requests).toHaveLength(1);
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([{ statusCode: 200 }]);
});

async function newBatch(count: number) {
  const { partition, id: webhookId } = await newWebhook(receiver.url);
  const raised = await raiseBacklog(partition, webhookId, count, clock.now());
  return { webhook: { ...partition, webhookId }, ids: raised.map(({ id }) => id) };
}

test("of a batch, a delivery whose attempt causes an error does not keep back the others", async () => {
  const { webhook, ids } = await newBatch(30);
  // PostgreSQL accepts no such text.
  const withBroken = ["dlv_\u0000", ...ids];
  expect(await attemptDeliveries(webhook, withBroken)).toEqual({ again: [], left: [] });
  expect(receiver.requests).toHaveLength(30);
});

test("when the process stops, the attempts of a batch that are in flight end, and the others are left", async () => {
  const { webhook, ids } = await newBatch(12);
  const responses = holdResponses(receiver);
  const attempted = attemptDeliveries(webhook, ids);
  await receiver.received(10);
  stopAttempting();
  try {
    responses.release();
    expect(await attempted).toEqual({ again: [], left: ids.slice(10) });
    await expect(attemptDeliveries(webhook, ids)).rejects.toThrow("this process is stopping");
  } finally {
    Object.assign(globalThis, { parlanceStopsAttempting: false });
  }
  expect(receiver.requests).toHaveLength(10);
  expect(await attemptDeliveries(webhook, ids)).toEqual({ again: [], left: [] });
  expect(receiver.requests).toHaveLength(12);
});

test("only one of many simultaneous attempts sends", async () => {
  const { delivery } = await newDelivery(receiver.url);
  let settled = 0;
  // The receiver responds when all other attempts have been refused.
  receiver.respond = (response) =>
    void vi.waitUntil(() => settled === 7, { timeout: 120_000 }).then(() => response.end("ok"));
  const attempts = Array.from({ length: 8 }, () =>
    attemptDelivery(delivery).finally(() => settled++),
  );
  const outcomes = await Promise.all(attempts);
  expect(receiver.requests).toHaveLength(1);
  expect(outcomes.filter(({ state }) => state === "delivered")).toHaveLength(1);
  expect(outcomes.filter(({ state }) => state === "waiting")).toHaveLength(7);
});

test("a delivery whose lease ended is claimed again, and the first holder can no longer change anything", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
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
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
    { number: 1, statusCode: 200 },
  ]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 0,
  });
});

test("a due delivery that cannot be claimed is tried again in a second, or at the next probe of its webhook", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
  const secondsAhead = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000);
  const change = (data: object) => db().webhook.updateMany({ where: { id: webhook.id }, data });
  await change({ status: "DISABLED" });
  expect(await attemptDelivery(delivery)).toEqual({
    state: "waiting",
    retryAt: secondsAhead(1).toISOString(),
  });
  await change({ status: "ENABLED", consecutiveFailures: 10, probeAfter: secondsAhead(7) });
  expect(await attemptDelivery(delivery)).toEqual({
    state: "waiting",
    retryAt: secondsAhead(7).toISOString(),
  });
  expect(receiver.requests).toHaveLength(0);
});

test("an attempt that is recorded twice counts once", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
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
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 1,
  });
  expect(await attemptsOf(webhook.partition, delivery.id)).toHaveLength(1);
});

test("a failed manual attempt does not count, and leaves the delivery unchanged", async () => {
  const { webhook, delivery } = await newDelivery(receiver.url);
  const claimed = await claimDelivery(delivery, clock.now());
  if (!claimed) throw new Error("the delivery could not be claimed");
  const ended = {
    delivery: claimed,
    result: { statusCode: 500, response: "", durationMs: 1 },
    startedAt: clock.now(),
    trigger: "MANUAL" as const,
  };
  expect(await recordAttempts([ended], clock.now())).toMatchObject([
    { status: "PENDING", consecutiveFailures: 0 },
  ]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 0,
    lastFailureAt: null,
  });
  expect((await attemptDelivery(delivery)).state).toBe("delivered");
  expect(
    (await attemptsOf(webhook.partition, delivery.id)).map(({ number, trigger }) => [
      number,
      trigger,
    ]),
  ).toEqual([
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
  expect(recorded.map((record) => record?.status)).toEqual([
    "PENDING",
    "DELIVERED",
    "PENDING",
    "PENDING",
  ]);
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 2,
  });
});
