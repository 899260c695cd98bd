import { expect, test } from "vitest";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { db } from "@/lib/platform/db";
import { clock, receiver, withEachClock } from "../support/clocks";
import { startReceiver } from "../support/receiver";
import {
  attemptsOf,
  countByStatus,
  findDelivery,
  findWebhook,
  newDelivery,
  newWebhook,
  raiseEvent,
} from "../support/webhooks";

/** As documented, in seconds. */
const retrySchedule = [30, 120, 600, 1_800, 7_200, 28_800, 86_400];

withEachClock(() => {
  test("a delivery that succeeds is sent once, complete and signed, and recorded", async () => {
    const { webhook, delivery } = await newDelivery(`${receiver.url}/hook`);
    const event = await db().event.findFirstOrThrow({ where: webhook.partition });
    await clock.settle();
    await clock.advance(200_000);
    await clock.settleWorker();

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
    expect(await findDelivery(webhook.partition, delivery.id)).toMatchObject({
      status: "DELIVERED",
      nextAttemptAt: null,
      leaseHolder: null,
    });
    expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
      consecutiveFailures: 0,
    });
  });

  test("eight attempts and no ninth, each at its time, with the same bytes and id and a fresh signature", async () => {
    receiver.respondWith(500);
    const { webhook, delivery } = await newDelivery(receiver.url);
    await clock.settle();

    for (const [index, seconds] of retrySchedule.entries()) {
      expect(receiver.requests).toHaveLength(index + 1);
      const { nextAttemptAt, status } = await findDelivery(webhook.partition, delivery.id);
      if (!nextAttemptAt) throw new Error("no further attempt is planned");
      expect(status).toBe("PENDING");
      const delay = (nextAttemptAt.getTime() - clock.now().getTime()) / 1_000;
      const [least, most] = index < 6 ? [seconds, seconds * 1.1] : [seconds * 0.9, seconds];
      expect(delay).toBeGreaterThanOrEqual(least - 0.001);
      expect(delay).toBeLessThanOrEqual(most + 0.001);

      await clock.advanceTo(new Date(nextAttemptAt.getTime() - 1));
      expect(receiver.requests).toHaveLength(index + 1);
      await clock.advanceTo(nextAttemptAt);
    }
    await clock.advance(1_000_000);
    await clock.settleWorker();

    const { requests } = receiver;
    expect(requests.map(({ headers }) => headers["x-service-attempt"])).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
    ]);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["x-service-event-id"])).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(1);
    const signatures = requests.map(({ headers }) =>
      String(headers["x-service-signature"]).split(","),
    );
    expect(new Set(signatures.map(([time]) => time)).size).toBe(8);
    expect(new Set(signatures.map(([, digest]) => digest)).size).toBe(8);
    expect((await attemptsOf(webhook.partition, delivery.id)).map(({ number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    expect(await findDelivery(webhook.partition, delivery.id)).toMatchObject({
      status: "FAILED",
      nextAttemptAt: null,
    });
    expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
      consecutiveFailures: 8,
      status: "ENABLED",
    });
  });

  test("a receiver that is down at first gets the event once it is back", async () => {
    receiver.respondWith(503);
    const { webhook, delivery } = await newDelivery(receiver.url);
    await clock.advance(1);
    receiver.respondWith(204);
    await clock.advance(33);
    expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
      { statusCode: 503 },
      { statusCode: 204 },
    ]);
    expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 1 });
  });

  test.each([
    [429, "300", 300],
    [503, "300", 300],
    [503, "5", 30],
    [503, "999999999", 86_400],
    [500, "300", 30],
  ])("%i with Retry-After %s waits at least %i s", async (status, value, seconds) => {
    receiver.respondWith(status, { "retry-after": value });
    await newDelivery(receiver.url);
    await clock.settle();
    receiver.respondWith(200);
    await clock.advance(seconds - 0.001);
    expect(receiver.requests).toHaveLength(1);
    await clock.advance(seconds === 30 ? 3.002 : 0.002);
    expect(receiver.requests).toHaveLength(2);
  });

  test("a delivery that a process claimed and never finished is sent when its lease ends", async () => {
    const { webhook, delivery } = await newDelivery(receiver.url);
    expect(await claimDelivery(delivery, clock.now())).not.toBeNull();
    await clock.settle();
    await clock.advance(29.9);
    expect(receiver.requests).toHaveLength(0);
    await clock.advance(0.2);
    expect(receiver.requests).toHaveLength(1);
    expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
      { number: 1, statusCode: 200 },
    ]);
  });

  test("each webhook gets every event once, regardless of the others", async () => {
    const broken = await startReceiver((response) => void response.writeHead(500).end());
    const well = await newWebhook(receiver.url);
    const failing = await newWebhook(broken.url, well.partition);
    for (let index = 0; index < 5; index++) await raiseEvent(well.partition);
    await clock.settle();
    expect(receiver.requests).toHaveLength(5);
    expect(broken.requests).toHaveLength(5);

    broken.respondWith(200);
    await clock.advance(60);
    expect(receiver.requests).toHaveLength(5);
    expect(broken.requests).toHaveLength(10);
    for (const { requests } of [receiver, broken]) {
      expect(new Set(requests.map(({ headers }) => headers["x-service-event-id"])).size).toBe(5);
    }
    expect(await countByStatus(failing.partition, failing.id)).toEqual({ DELIVERED: 5 });
    await broken.close();
  });
});
