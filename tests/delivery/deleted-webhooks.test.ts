import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { claimDeliveries, claimDelivery, startOfScan } from "@/lib/deliveries/engine/claim";
import { recordAttempts } from "@/lib/deliveries/engine/record";
import { sweepWebhooks } from "@/lib/deliveries/engine/sweep-webhooks";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { enableWebhook, getDelivery, listDeliveries } from "@/lib/deliveries/service";
import { recordEvent } from "@/lib/events/record-event";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { deleteWebhook, getWebhook, listWebhooks, updateWebhook } from "@/lib/webhooks/service";
import {
  countAttempts,
  newPartition,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

const url = "http://127.0.0.1:9/";

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => clock.release());

type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

const as = <Result>({ partition }: TestWebhook, work: Parameters<typeof mutate<Result>>[1]) =>
  mutate(system(partition), work);
const remove = (webhook: TestWebhook) => as(webhook, (caller) => deleteWebhook(caller, webhook.id));
const deliveriesOf = ({ id }: TestWebhook) => db().delivery.count({ where: { webhookId: id } });
const notFound = { kind: "not-found" };

test("a webhook with a backlog is deleted immediately, and its deliveries in batches", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 3_000, clock.now());
  const [reference] = await raiseEvent(webhook.partition);
  if (!reference) throw new Error("the event reached no webhook");

  expect(await remove(webhook)).toEqual({ id: webhook.id, deleted: true });
  await expect(as(webhook, (caller) => getWebhook(caller, webhook.id))).rejects.toMatchObject(
    notFound,
  );
  await expect(remove(webhook)).rejects.toMatchObject(notFound);
  const page = { limit: 20, order: "desc" as const };
  await expect(
    as(webhook, (caller) => listDeliveries(caller, webhook.id, page)),
  ).rejects.toMatchObject(notFound);
  await expect(
    as(webhook, (caller) => getDelivery(caller, webhook.id, reference.id)),
  ).rejects.toMatchObject(notFound);
  expect(await as(webhook, (caller) => listWebhooks(caller, page))).toEqual({ data: [] });
  expect(await db().webhookSecret.count({ where: { webhookId: webhook.id } })).toBe(0);
  // Only the row of the webhook has changed.
  expect(await deliveriesOf(webhook)).toBe(3_001);

  // Nothing else is sent, and no new event is delivered to it.
  expect(await attemptDelivery(reference)).toEqual({ state: "gone", retryAt: null });
  const claim = {
    now: clock.now(),
    limit: 100,
    cursor: startOfScan,
    allowances: new Map(),
    defaultAllowance: 4,
    overdueSeconds: 0,
  };
  expect((await claimDeliveries(claim)).deliveries).toEqual([]);
  expect(await sweepWebhooks(100)).toBe(0);
  expect(await raiseEvent(webhook.partition)).toEqual([]);

  expect(await workOffBacklog(100)).toBe(2_000);
  expect(await deliveriesOf(webhook)).toBe(1_001);
  expect(await workOffBacklog(100)).toBe(1_001);
  expect(await db().webhook.count({ where: webhook.partition })).toBe(1);

  clock.advance(61);
  expect(await workOffBacklog(100)).toBe(0);
  expect(await db().webhook.count({ where: webhook.partition })).toBe(0);
  expect(await db().backlogTask.count({ where: webhook.partition })).toBe(0);
  expect(await db().event.count({ where: webhook.partition })).toBe(3_002);
});

test("an event recorded while its webhook is deleted is stored, and its delivery is deleted with the others", async () => {
  const webhook = await newWebhook(url);
  await as(webhook, async (caller) => {
    await recordEvent(caller, "message.received", { id: "msg_1" }, { conversation: null });
    await remove(webhook);
    expect(await workOffBacklog(100)).toBe(0);
  });
  expect(await deliveriesOf(webhook)).toBe(1);
  clock.advance(61);
  await workOffBacklog(100);
  expect([
    await deliveriesOf(webhook),
    await db().event.count({ where: webhook.partition }),
  ]).toEqual([0, 1]);
});

test("an attempt in progress when its webhook is deleted leaves no trace", async () => {
  const webhook = await newWebhook(url);
  const [reference] = await raiseEvent(webhook.partition);
  const delivery = reference && (await claimDelivery(reference, clock.now()));
  if (!delivery) throw new Error("the delivery could not be claimed");
  await remove(webhook);
  await workOffBacklog(100);
  const result = { statusCode: 500, response: "", durationMs: 1 };
  expect(
    await recordAttempts(
      [{ delivery, result, startedAt: clock.now(), trigger: "AUTOMATIC" }],
      clock.now(),
    ),
  ).toEqual([null]);
  expect(await countAttempts(webhook.partition)).toBe(0);
});

test("other webhooks are served while a large one is being deleted", async () => {
  const partition = await newPartition();
  const large = await newWebhook(url, partition);
  await raiseBacklog(partition, large.id, 5_000, clock.now());
  const small = await newWebhook(url);
  await as(small, (caller) => updateWebhook(caller, small.id, { status: "DISABLED" }));
  await raiseEvent(small.partition);
  await remove(large);
  await as(small, (caller) => enableWebhook(caller, small.id, { held: "RESUME" }));
  const another = await newWebhook(url);
  await raiseEvent(another.partition);
  await remove(another);
  clock.advance(1);

  await workOffBacklog(10);
  expect(await db().delivery.count({ where: { webhookId: small.id, status: "PENDING" } })).toBe(1);
  expect(await deliveriesOf(another)).toBe(0);
  expect(await deliveriesOf(large)).toBeGreaterThan(4_000);
});

test("a deleted webhook makes room for another", async () => {
  const partition = await newPartition();
  const webhooks = [];
  for (let index = 0; index < 20; index++) webhooks.push(await newWebhook(url, partition));
  await expect(newWebhook(url, partition)).rejects.toMatchObject({ kind: "limit-reached" });
  const [first] = webhooks;
  if (first) await remove(first);
  await newWebhook(url, partition);
});
