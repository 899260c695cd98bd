import { afterEach, beforeEach, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { type RunningProcess, startWorker } from "../support/processes";
import { holdResponses, type Receiver, startReceiver } from "../support/receiver";
import {
  countAttempts,
  countByStatus,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type TestWebhook,
} from "../support/webhooks";

// The built worker, as one or several processes, in real time.

let receiver: Receiver;
let workers: RunningProcess[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.end("SIGKILL")));
  workers = [];
  await receiver.close();
});

async function startWorkers(
  count: number,
  environment: Record<string, string> = {},
): Promise<RunningProcess[]> {
  workers = await Promise.all(Array.from({ length: count }, () => startWorker(environment)));
  return workers;
}

const justNow = () => new Date(Date.now() - 1_000);
const attemptsOf = ({ id }: TestWebhook) => countAttempts({ webhookId: id });

test("two workers send 10,000 deliveries, each of them once", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 10_000, justNow());
  await startWorkers(2);
  await receiver.received(10_000);
  expect(await Promise.all(workers.map((worker) => worker.end("SIGTERM")))).toEqual([0, 0]);

  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 10_000 });
  expect(receiver.requests).toHaveLength(10_000);
  expect(
    new Set(receiver.requests.map(({ headers }) => headers["x-service-delivery-id"])).size,
  ).toBe(10_000);
  expect(receiver.requests.every(({ headers }) => headers["x-service-attempt"] === "1")).toBe(true);
  expect(await attemptsOf(webhook)).toBe(10_000);
});

test("workers that are stopped in the middle finish the attempts in progress, and another one continues", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 3_000, justNow());
  const responses = holdResponses(receiver, { after: 200 });
  const [first, second] = await startWorkers(2);
  await receiver.received(201);
  const ended = Promise.all([first?.end("SIGTERM"), second?.end("SIGTERM")]);
  responses.release();
  expect(await ended).toEqual([0, 0]);

  // No lease is left, and everything that arrived is recorded.
  const arrived = receiver.requests.length;
  expect(arrived).toBeLessThan(3_000);
  expect(
    await db().delivery.count({ where: { webhookId: webhook.id, leaseHolder: { not: null } } }),
  ).toBe(0);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({
    DELIVERED: arrived,
    PENDING: 3_000 - arrived,
  });

  await startWorkers(1);
  await receiver.received(3_000);
  await expect
    .poll(() => countByStatus(webhook.partition, webhook.id))
    .toEqual({ DELIVERED: 3_000 });
  expect(receiver.requests).toHaveLength(3_000);
});

test("a worker that is stopped while a receiver hangs ends with that request, and leaves nothing half recorded", async () => {
  receiver.respond = () => {};
  const webhook = await newWebhook(receiver.url);
  await raiseEvent(webhook.partition);
  const [worker] = await startWorkers(1);
  await receiver.received(1);
  expect(await worker?.end("SIGTERM")).toBe(0);
  const { attemptCount, status } = await db().delivery.findFirstOrThrow({
    where: { webhookId: webhook.id },
  });
  expect(status).toBe("PENDING");
  expect(await attemptsOf(webhook)).toBe(attemptCount);
});

test("committed deliveries are sent even if every notification is lost", async () => {
  await startWorkers(1);
  const webhook = await newWebhook(receiver.url);
  // A direct statement wakes no worker.
  await raiseBacklog(webhook.partition, webhook.id, 20, justNow());
  await receiver.received(20);
  expect(
    new Set(receiver.requests.map(({ headers }) => headers["x-service-delivery-id"])).size,
  ).toBe(20);
});

test("a webhook gets no more concurrent deliveries than the operator allows", async () => {
  const webhook = await newWebhook(receiver.url);
  const otherReceiver = await startReceiver();
  const other = await newWebhook(otherReceiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 300, justNow());
  const responses = holdResponses(receiver);
  await startWorkers(1, { DELIVERY_CONCURRENCY_PER_WEBHOOK: "3" });
  await receiver.received(3);
  // Another webhook's delivery arrives only after one more round of claims.
  await raiseEvent(other.partition);
  await otherReceiver.received(1);
  expect(receiver.requests).toHaveLength(3);
  expect(
    await db().delivery.count({ where: { webhookId: webhook.id, leaseHolder: { not: null } } }),
  ).toBe(3);
  responses.release();
  await receiver.received(300);
  await otherReceiver.close();
});
