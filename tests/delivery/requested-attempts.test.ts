import { expect, test } from "vitest";
import { claimRequested } from "@/lib/deliveries/engine/claim";
import { recoverDeliveries, resendDelivery, sendTestEvent } from "@/lib/deliveries/service";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import { updateWebhook } from "@/lib/webhooks/service";
import { clock, receiver, withEachClock } from "../support/clocks";
import type { ReceivedRequest } from "../support/receiver";
import {
  attemptsOf,
  countByStatus,
  findDelivery,
  findWebhook,
  newDelivery,
  newWebhook,
  raiseBacklog,
  type TestWebhook,
} from "../support/webhooks";

const daySeconds = 86_400;

withEachClock(() => {
  const resend = ({ partition, id }: TestWebhook, deliveryId: string) =>
    mutate(system(partition), (caller) => resendDelivery(caller, id, deliveryId));
  const sendTest = ({ partition, id }: TestWebhook) =>
    mutate(system(partition), (caller) => sendTestEvent(caller, id));

  test("a resend is made once, of the same event, freshly signed", async () => {
    const { webhook, delivery } = await newDelivery(receiver.url);
    await clock.settle();
    await clock.advance(3_600);
    await resend(webhook, delivery.id);
    await clock.settle();
    await clock.advance(200_000);
    await clock.settleWorker();

    const [first, second] = receiver.requests;
    expect(receiver.requests).toHaveLength(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const timeOf = (request?: ReceivedRequest) => Number(request?.headers["webhook-timestamp"]);
    expect(timeOf(second) - timeOf(first)).toBe(3_600);
    expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
      { trigger: "AUTOMATIC" },
      { trigger: "MANUAL", number: 2 },
    ]);
  });

  test("a resend that succeeds ends the retries", async () => {
    receiver.respondWith(500);
    const { webhook, delivery } = await newDelivery(receiver.url);
    await clock.settle();
    receiver.respondWith(200);
    await resend(webhook, delivery.id);
    await clock.advance(200_000);
    expect(receiver.requests).toHaveLength(2);
    expect(await findDelivery(webhook.partition, delivery.id)).toMatchObject({
      status: "DELIVERED",
    });
  });

  test("a failed resend leaves the schedule unchanged, and does not count as a failure", async () => {
    receiver.respondWith(500);
    const { webhook, delivery } = await newDelivery(receiver.url);
    await clock.settle();
    const { nextAttemptAt } = await findDelivery(webhook.partition, delivery.id);
    if (!nextAttemptAt) throw new Error("no further attempt is planned");
    for (let index = 0; index < 12; index++) {
      await clock.advance(0.1);
      await resend(webhook, delivery.id);
      await clock.settle();
      expect(await findDelivery(webhook.partition, delivery.id)).toMatchObject({
        status: "PENDING",
        nextAttemptAt,
      });
    }
    expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
      consecutiveFailures: 1,
      probeAfter: null,
    });

    await clock.advanceTo(nextAttemptAt);
    const second = await findDelivery(webhook.partition, delivery.id);
    const delay = ((second.nextAttemptAt?.getTime() ?? 0) - nextAttemptAt.getTime()) / 1_000;
    // The second delay of the schedule: the twelve resends did not count.
    expect(delay).toBeGreaterThanOrEqual(120 - 0.001);
    expect(delay).toBeLessThanOrEqual(132.001);
    expect(
      (await attemptsOf(webhook.partition, delivery.id)).map(({ trigger }) => trigger),
    ).toEqual(["AUTOMATIC", ...Array.from({ length: 12 }, () => "MANUAL"), "AUTOMATIC"]);
  });

  test("a requested attempt outlives the process that claimed it", async () => {
    const { webhook, delivery } = await newDelivery(receiver.url);
    await clock.settle();
    await resend(webhook, delivery.id);
    // Claimed, and then the process is gone.
    expect(
      (await claimRequested({ now: clock.now(), limit: 10, overdueSeconds: 0 })).deliveries,
    ).toMatchObject([{ id: delivery.id, trigger: "MANUAL" }]);
    await clock.advance(29);
    expect(receiver.requests).toHaveLength(1);
    await clock.advance(120);
    await clock.settleWorker();
    expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([
      { number: 1 },
      { number: 2, trigger: "MANUAL", statusCode: 200 },
    ]);
    expect(receiver.requests).toHaveLength(2);
  });

  test("tests and resends go out while the webhook pauses after failures, and while it is disabled", async () => {
    receiver.respondWith(500);
    const { webhook, delivery } = await newDelivery(receiver.url);
    const probeAfter = new Date(clock.now().getTime() + daySeconds * 1_000);
    await db().webhook.updateMany({
      where: { id: webhook.id },
      data: { consecutiveFailures: 10, probeAfter },
    });
    await clock.settle();
    expect(receiver.requests).toHaveLength(0);
    const paused = await sendTest(webhook);
    await clock.settle();
    expect(await findDelivery(webhook.partition, paused.id)).toMatchObject({ status: "FAILED" });
    expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
      consecutiveFailures: 10,
    });

    await mutate(system(webhook.partition), (caller) =>
      updateWebhook(caller, webhook.id, { status: "DISABLED" }),
    );
    await clock.settle();
    await sendTest(webhook);
    await resend(webhook, delivery.id);
    await clock.settle();
    expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ FAILED: 2, HELD: 1 });
    expect(receiver.requests).toHaveLength(3);
  });

  test("a test is tried once, and 410 for a test does not disable the webhook", async () => {
    receiver.respondWith(410);
    const webhook = await newWebhook(receiver.url);
    const { id } = await sendTest(webhook);
    await clock.advance(200_000);
    expect(await attemptsOf(webhook.partition, id)).toMatchObject([
      { trigger: "TEST", statusCode: 410 },
    ]);
    expect(await findDelivery(webhook.partition, id)).toMatchObject({
      status: "FAILED",
      nextAttemptAt: null,
    });
    expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
      status: "ENABLED",
      consecutiveFailures: 0,
    });
  });

  test("failed deliveries are recovered with a fresh schedule, fifty a second", async () => {
    const webhook = await newWebhook(receiver.url);
    const deliveries = await raiseBacklog(webhook.partition, webhook.id, 100, clock.now());
    const failed = {
      status: "FAILED",
      automaticCount: 8,
      attemptCount: 8,
      nextAttemptAt: null,
    } as const;
    await db().delivery.updateMany({ where: { webhookId: webhook.id }, data: failed });
    wakeDeliveries(deliveries);
    await clock.settle();
    expect(receiver.requests).toHaveLength(0);

    receiver.respondWith(500);
    const body = {
      since: new Date(Date.now() - daySeconds * 1_000),
      until: undefined,
      dryRun: false,
    };
    expect(
      await mutate(system(webhook.partition), (caller) =>
        recoverDeliveries(caller, webhook.id, body),
      ),
    ).toEqual({ count: 100 });
    // One fails and starts its schedule again; the others succeed.
    receiver.respond = (response) => {
      response.writeHead(500).end();
      receiver.respondWith(200);
    };
    await clock.advance(0.99);
    expect(receiver.requests).toHaveLength(50);
    await clock.advance(1);
    expect(receiver.requests).toHaveLength(100);
    await clock.advance(33);
    expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 100 });
    expect(receiver.requests).toHaveLength(101);
    expect(receiver.requests.at(-1)?.headers["x-service-attempt"]).toBe("10");
  });
});
