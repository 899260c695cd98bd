import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type ClaimedDelivery,
  claimDeliveries,
  claimDelivery,
  startOfScan,
} from "@/lib/deliveries/engine/claim";
import { disableIfFailing } from "@/lib/deliveries/engine/disable-if-failing";
import { recordAttempts } from "@/lib/deliveries/engine/record";
import { db } from "@/lib/platform/db";
import {
  countAttempts,
  findWebhook,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

const url = "http://127.0.0.1:9/";
const probeSeconds = 7.5;

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => clock.release());

type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

const find = ({ partition, id }: TestWebhook) => findWebhook(partition, id);
const warningsOf = async ({ id }: TestWebhook) =>
  (
    await db().webhookWarning.findMany({
      where: { webhookId: id },
      orderBy: [{ createdAt: "asc" }, { failures: "asc" }],
    })
  ).map(({ failures }) => failures);

async function claim({ id }: TestWebhook, allowance: number): Promise<ClaimedDelivery[]> {
  const request = {
    now: clock.now(),
    limit: 100,
    cursor: startOfScan,
    defaultAllowance: 0,
    overdueSeconds: 0,
  };
  return (await claimDeliveries({ ...request, allowances: new Map([[id, allowance]]) })).deliveries;
}

const ended = (delivery: ClaimedDelivery, statusCode: number) => ({
  delivery,
  result: { statusCode, response: "", durationMs: 1 },
  startedAt: clock.now(),
  trigger: delivery.trigger,
});

async function record(deliveries: ClaimedDelivery[], statusCode = 500): Promise<void> {
  const attempts = deliveries.map((delivery) => ended(delivery, statusCode));
  await disableIfFailing(attempts, await recordAttempts(attempts, clock.now()));
}

/** Fails probe after probe, one at a time, as the loop would. */
async function failProbes(webhook: TestWebhook, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    clock.advance(probeSeconds);
    const deliveries = await claim(webhook, 100);
    expect(deliveries).toMatchObject([{ isProbe: true }]);
    await record(deliveries);
  }
}

test("attempts that eight writers record concurrently, each twice, count once each", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 96, clock.now());
  const claimers = await Promise.all(Array.from({ length: 8 }, () => claim(webhook, 12)));
  expect(claimers.flat()).toHaveLength(96);
  expect(new Set(claimers.flat().map(({ id }) => id)).size).toBe(96);
  // One by one and in batches, in any order of the database.
  await Promise.all(
    [...claimers, ...claimers.flat().map((delivery) => [delivery])].map((batch) => record(batch)),
  );
  expect(await find(webhook)).toMatchObject({ consecutiveFailures: 96, status: "ENABLED" });
  expect(await countAttempts(webhook.partition)).toBe(96);
});

test("attempts in progress when a receiver broke do not disable its webhook; the next failure does", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 200, clock.now());
  const underWay = [await claim(webhook, 100), await claim(webhook, 100)];
  expect(underWay.map(({ length }) => length)).toEqual([100, 100]);
  await Promise.all(underWay.map((batch) => record(batch)));
  expect(await find(webhook)).toMatchObject({ consecutiveFailures: 99, status: "ENABLED" });

  await raiseEvent(webhook.partition);
  expect(await claim(webhook, 100)).toEqual([]);
  await failProbes(webhook, 1);
  expect(await find(webhook)).toMatchObject({
    consecutiveFailures: 100,
    status: "DISABLED",
    disabledReason: "CONSECUTIVE_FAILURES",
  });
});

test("one success after a hundred concurrent failures resets the count to 0", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 101, clock.now());
  await record(await claim(webhook, 100));
  clock.advance(probeSeconds);
  await record(await claim(webhook, 100), 200);
  expect(await find(webhook)).toMatchObject({
    consecutiveFailures: 0,
    status: "ENABLED",
    probeAfter: null,
  });
});

test("a warning is left at 50 and at 90 failures, once in every row of failures", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 250, clock.now());
  await record(await claim(webhook, 10));
  await failProbes(webhook, 39);
  expect(await warningsOf(webhook)).toEqual([]);
  await failProbes(webhook, 1);
  expect(await warningsOf(webhook)).toEqual([50]);
  await failProbes(webhook, 39);
  expect(await warningsOf(webhook)).toHaveLength(1);
  await failProbes(webhook, 2);
  expect(await warningsOf(webhook)).toEqual([50, 90]);

  clock.advance(probeSeconds);
  await record(await claim(webhook, 1), 200);
  await record(await claim(webhook, 10));
  await failProbes(webhook, 89);
  expect(await warningsOf(webhook)).toEqual([50, 90, 50, 90]);
});

test("many concurrent failures record each warning that they reach", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 100, clock.now());
  await Promise.all([...(await claim(webhook, 100)).map((delivery) => record([delivery]))]);
  expect(await warningsOf(webhook)).toEqual([50, 90]);
});

test("a success among the failures of one batch ends their row", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 61, clock.now());
  const deliveries = await claim(webhook, 100);
  const attempts = deliveries.map((delivery, index) => ended(delivery, index === 30 ? 200 : 500));
  await recordAttempts(attempts, clock.now());
  expect((await find(webhook)).consecutiveFailures).toBe(30);
  expect(await warningsOf(webhook)).toEqual([]);
});

test("manual attempts and tests that fail are not counted", async () => {
  const webhook = await newWebhook(url);
  const [reference] = await raiseEvent(webhook.partition);
  if (!reference) throw new Error("the event reached no webhook");
  for (let index = 0; index < 120; index++) {
    const requestedTrigger = index % 2 === 0 ? "MANUAL" : "TEST";
    await db().delivery.updateMany({
      where: { id: reference.id },
      data: { requestedTrigger, requestedAt: clock.now() },
    });
    const claimed = await claimDelivery(reference, clock.now());
    if (claimed) await record([claimed]);
  }
  expect(await countAttempts(webhook.partition)).toBe(120);
  expect(await find(webhook)).toMatchObject({ consecutiveFailures: 0, status: "ENABLED" });
  expect(await warningsOf(webhook)).toEqual([]);
});

test.each(["MANUAL", "TEST"] as const)(
  "a %s attempt that succeeds resets the count to 0",
  async (requestedTrigger) => {
    const webhook = await newWebhook(url);
    const [reference] = await raiseEvent(webhook.partition);
    if (!reference) throw new Error("the event reached no webhook");
    await db().webhook.updateMany({ where: { id: webhook.id }, data: { consecutiveFailures: 42 } });
    await db().delivery.updateMany({
      where: { id: reference.id },
      data: { requestedTrigger, requestedAt: clock.now() },
    });
    const claimed = await claimDelivery(reference, clock.now());
    expect(claimed).toMatchObject({ trigger: requestedTrigger });
    if (claimed) await record([claimed], 200);
    expect(await find(webhook)).toMatchObject({ consecutiveFailures: 0, probeAfter: null });
  },
);
