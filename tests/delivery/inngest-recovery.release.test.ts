import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { clocks, inngest, type TestClock } from "../support/clocks";
import { eventsOf, runsOf } from "../support/inngest-runs";
import { type Receiver, startReceiver } from "../support/receiver";
import { newDocument } from "../support/stored-document";
import {
  attemptsOf,
  countByStatus,
  findDelivery,
  newDelivery,
  newWebhook,
  raiseEvent,
} from "../support/webhooks";

// What Inngest loses, or never receives, is sent all the same, and nothing is sent twice.

type NewDelivery = Awaited<ReturnType<typeof newDelivery>>;

let receiver: Receiver;
let clock: TestClock;
const respond = inngest.server.respond;
beforeEach(async () => {
  receiver = await startReceiver();
  clock = await clocks[1].start();
});
afterEach(async () => {
  inngest.server.respond = respond;
  await clock.close();
  await receiver.close();
});

/** Lets that much time pass since the delivery was due, which it is by the real clock at first. */
async function letWait({ webhook, delivery }: NewDelivery, seconds: number): Promise<void> {
  const { nextAttemptAt } = await findDelivery(webhook.partition, delivery.id);
  if (!nextAttemptAt) throw new Error("no attempt is planned");
  await clock.advanceTo(new Date(nextAttemptAt.getTime() + seconds * 1_000));
}

test("while Inngest accepts events, the worker wakes it again for what it lost, and sends nothing itself", async () => {
  const made = await newDelivery(receiver.url);
  const { delivery } = made;
  await expect.poll(() => eventsOf(delivery.id).length).toBe(1);
  inngest.runs.length = 0;

  await letWait(made, 119);
  await clock.settleWorker();
  expect(eventsOf(delivery.id)).toHaveLength(1);
  await clock.advance(2);
  await clock.settleWorker();
  await clock.settleWorker();
  expect(eventsOf(delivery.id).length).toBeGreaterThan(1);
  expect(runsOf(delivery.id)).toMatchObject([{ state: "completed" }]);
  expect(receiver.requests).toHaveLength(1);
});

test("the worker wakes Inngest less and less often, and sends after ten minutes where Inngest runs nothing", async () => {
  const made = await newDelivery(receiver.url);
  const { delivery } = made;
  await expect.poll(() => eventsOf(delivery.id).length).toBe(1);
  inngest.functions.length = inngest.runs.length = 0;
  await letWait(made, 90);
  for (let minute = 1; minute <= 8; minute++) {
    await clock.advance(60);
    await clock.settleWorker();
  }
  expect(receiver.requests).toHaveLength(0);
  const ids = new Set(eventsOf(delivery.id).map(({ id }) => id));
  expect(ids.size).toBe(4);

  await clock.advance(60);
  await clock.settleWorker();
  expect(receiver.requests).toHaveLength(1);
});

test("the worker takes over what Inngest never received after two minutes, attempt by attempt", async () => {
  receiver.respondWith(500);
  inngest.server.respond = (response) => void response.writeHead(503).end();
  const { webhook, delivery } = await newDelivery(receiver.url);
  inngest.functions.length = 0;
  await clock.settle();

  for (let attempt = 1; attempt <= 3; attempt++) {
    const { nextAttemptAt } = await findDelivery(webhook.partition, delivery.id);
    if (!nextAttemptAt) throw new Error("no further attempt is planned");
    await clock.advanceTo(new Date(nextAttemptAt.getTime() + 119_900));
    await clock.settleWorker();
    expect(receiver.requests).toHaveLength(attempt - 1);
    await clock.advance(0.2);
    await clock.settleWorker();
    expect(receiver.requests).toHaveLength(attempt);
  }
  expect(runsOf(delivery.id)).toEqual([]);
});

test("Inngest completes a delivery whose run it lost halfway, and the worker a document that it never received", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  await clock.settle();
  expect(receiver.requests).toHaveLength(1);
  inngest.forget();
  inngest.server.respond = (response) => void response.writeHead(503).end();
  const document = await newDocument(webhook.partition, "Text");
  await clock.settle();
  inngest.server.respond = respond;
  receiver.respondWith(200);

  await clock.advance(160);
  await clock.settleWorker();
  expect(runsOf(delivery.id)).toMatchObject([{ state: "completed" }]);
  expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
    { statusCode: 500 },
    { statusCode: 200 },
  ]);
  expect(await db().document.findFirst({ where: { id: document.id } })).toMatchObject({
    status: "READY",
  });
});

test("the clock can be changed while deliveries wait: nothing is lost, and nothing sent twice", async () => {
  receiver.respondWith(500);
  const { webhook, delivery } = await newDelivery(receiver.url);
  const numbers = async () =>
    (await attemptsOf(webhook.partition, delivery.id)).map(({ number }) => number);
  const change = async (index: 0 | 1) => {
    clock = await clocks[index].start(clock.now());
  };
  // Started by Inngest, whose run sleeps until the second attempt and then finds that it was made.
  await clock.settle();
  await change(0);
  await clock.advance(180);
  expect(await numbers()).toEqual([1, 2, 3]);

  // Inngest knows only the old run, which continues; new deliveries arrive by their events.
  await change(1);
  const [second] = await raiseEvent(webhook.partition);
  await clock.advance(200_000);
  await clock.settleWorker();
  await change(0);
  await clock.advance(200_000);
  expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(
    (await attemptsOf(webhook.partition, second?.id ?? "")).map(({ number }) => number),
  ).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(receiver.requests).toHaveLength(16);
  expect(
    new Set(
      receiver.requests.map(
        ({ headers }) => `${headers["x-service-delivery-id"]} ${headers["x-service-attempt"]}`,
      ),
    ).size,
  ).toBe(16);
});

test("deliveries pending when Inngest takes over, and when it is switched off, are sent once", async () => {
  await clock.close();
  clock = await clocks[0].start();
  receiver.respondWith(500);
  const webhook = await newWebhook(receiver.url);
  for (let index = 0; index < 5; index++) await raiseEvent(webhook.partition);
  await clock.settle();
  receiver.respondWith(200);

  // Inngest never receives these: the worker next to it sends them, two minutes late.
  clock = await clocks[1].start(clock.now());
  for (let index = 0; index < 5; index++) await raiseEvent(webhook.partition);
  await clock.advance(100);
  await clock.settleWorker();
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: 5, DELIVERED: 5 });
  await clock.advance(60);
  await clock.settleWorker();
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 10 });

  receiver.respondWith(500);
  for (let index = 0; index < 5; index++) await raiseEvent(webhook.partition);
  await clock.settle();
  receiver.respondWith(200);
  clock = await clocks[0].start(clock.now());
  await clock.advance(34);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 15 });
  // Ten of them took two attempts.
  expect(receiver.requests).toHaveLength(25);
});
