import { expect, test } from "vitest";
import { enableWebhook } from "@/lib/deliveries/service";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import { updateWebhook } from "@/lib/webhooks/service";
import { clock, receiver, withEachClock } from "../support/clocks";
import { startTcpReceiver } from "../support/receiver";
import {
  attemptsOf,
  countAttempts,
  countByStatus,
  findDelivery,
  findWebhook,
  newDelivery,
  newWebhook,
  patchWebhook,
  raiseBacklog,
  raiseEvent,
  type TestWebhook,
} from "../support/webhooks";

withEachClock(() => {
  const find = ({ partition, id }: TestWebhook) => findWebhook(partition, id);
  const count = ({ partition, id }: TestWebhook) => countByStatus(partition, id);
  const setStatus = (webhook: TestWebhook, status: "ENABLED" | "DISABLED") =>
    patchWebhook(webhook, { status });
  const enable = ({ partition, id }: TestWebhook, held: "RESUME" | "DISCARD" | "KEEP") =>
    mutate(system(partition), (caller) => enableWebhook(caller, id, { held }));
  const raiseMany = async ({ partition, id }: TestWebhook, total: number) =>
    wakeDeliveries(await raiseBacklog(partition, id, total, new Date()));

  /** One event every eight seconds, longer than the pause between two probes. */
  async function failTimes(webhook: TestWebhook, total: number): Promise<void> {
    for (
      const until = (await find(webhook)).consecutiveFailures + total;
      (await find(webhook)).consecutiveFailures < until;
    ) {
      await raiseEvent(webhook.partition);
      await clock.settle();
      if ((await find(webhook)).consecutiveFailures < until) await clock.advance(8);
    }
  }

  test("410 disables immediately: pending deliveries are held, and other webhooks are notified", async () => {
    const { webhook, delivery } = await newDelivery(receiver.url);
    receiver.respondWith(500);
    await clock.settle();
    const other = await newWebhook(`${receiver.url}/other`, webhook.partition);
    receiver.respond = (response, { path }) =>
      void response.writeHead(path === "/other" ? 200 : 410).end();
    const raised = (await raiseEvent(webhook.partition)).map(({ id }) => id);
    const gone = await db().delivery.findFirstOrThrow({
      where: { webhookId: webhook.id, id: { in: raised } },
    });
    await clock.settle();
    await clock.advance(100_000);

    expect(await find(webhook)).toMatchObject({
      status: "DISABLED",
      disabledReason: "GONE",
      consecutiveFailures: 2,
    });
    expect(await count(webhook)).toEqual({ HELD: 2 });
    expect(await attemptsOf(webhook.partition, delivery.id)).toHaveLength(1);
    expect(await attemptsOf(webhook.partition, gone.id)).toMatchObject([{ statusCode: 410 }]);

    const told = receiver.requests.filter(
      ({ headers }) => headers["x-service-event-type"] === "webhook.disabled",
    );
    expect(told.map(({ path }) => path)).toEqual(["/other"]);
    expect(JSON.parse(told[0]?.body ?? "")).toMatchObject({
      request: null,
      data: {
        object: {
          id: webhook.id,
          status: "DISABLED",
          disabledReason: "GONE",
          consecutiveFailures: 2,
        },
      },
    });
    expect(await count(other)).toMatchObject({ DELIVERED: 2 });
    const audited = await db().auditEntry.findMany({
      where: { tenantId: webhook.partition.tenantId, action: "webhook.disabled" },
    });
    expect(audited).toMatchObject([{ targetId: webhook.id, actorType: "SYSTEM" }]);
  });

  test("410 from an earlier URL does not disable the webhook", async () => {
    const { webhook, delivery } = await newDelivery(receiver.url);
    const url = `${receiver.url}/new`;
    receiver.respond = (response, { path }) => {
      if (path === "/new") return void response.writeHead(200).end();
      // While the attempt is in flight.
      void mutate(system(webhook.partition), (caller) =>
        updateWebhook(caller, webhook.id, { url }),
      ).then(() => response.writeHead(410).end());
    };
    await clock.settle();
    expect(await attemptsOf(webhook.partition, delivery.id)).toMatchObject([{ statusCode: 410 }]);
    expect(await find(webhook)).toMatchObject({ status: "ENABLED", url });
    await clock.advance(100);
    expect(await count(webhook)).toEqual({ DELIVERED: 1 });
  });

  test("99 failures, a success and 99 more do not disable, 100 do", async () => {
    receiver.respondWith(500);
    const webhook = await newWebhook(receiver.url);
    const skipTo = (consecutiveFailures: number) =>
      db().webhook.updateMany({ where: { id: webhook.id }, data: { consecutiveFailures } });
    await failTimes(webhook, 3);
    await skipTo(90);
    await failTimes(webhook, 9);
    expect(await find(webhook)).toMatchObject({ status: "ENABLED", consecutiveFailures: 99 });

    receiver.respond = (response) => {
      // One success, and from then on failures again.
      receiver.respondWith(500);
      response.writeHead(200).end();
    };
    await raiseEvent(webhook.partition);
    await clock.advance(8);
    expect(await find(webhook)).toMatchObject({ lastSuccessAt: expect.any(Date) });
    expect((await find(webhook)).consecutiveFailures).toBeLessThan(20);
    await skipTo(90);
    await failTimes(webhook, 9);
    expect(await find(webhook)).toMatchObject({ status: "ENABLED", consecutiveFailures: 99 });

    await failTimes(webhook, 1);
    await clock.settle();
    expect(await find(webhook)).toMatchObject({
      status: "DISABLED",
      consecutiveFailures: 100,
      disabledReason: "CONSECUTIVE_FAILURES",
    });
    const sent = receiver.requests.length;
    expect(sent).toBe(await countAttempts(webhook.partition));
    await clock.advance(100_000);
    expect(receiver.requests).toHaveLength(sent);
    const { PENDING: pending = 0, DELIVERED: delivered } = await count(webhook);
    expect([pending, delivered]).toEqual([0, 1]);
  });

  test("held deliveries are sent once when resumed, also if they were held a second time before that", async () => {
    const webhook = await newWebhook(receiver.url);
    await setStatus(webhook, "DISABLED");
    for (let index = 0; index < 3; index++) await raiseEvent(webhook.partition);
    await clock.advance(600);
    expect(await count(webhook)).toEqual({ HELD: 3 });

    await enable(webhook, "RESUME");
    // It pauses, so that nothing is sent yet.
    const probeAfter = new Date(clock.now().getTime() + 86_400_000);
    await db().webhook.updateMany({
      where: { id: webhook.id },
      data: { consecutiveFailures: 10, probeAfter },
    });
    await clock.settle();
    expect(await count(webhook)).toEqual({ PENDING: 3 });
    await setStatus(webhook, "DISABLED");
    await clock.advance(1);
    expect(await count(webhook)).toEqual({ HELD: 3 });

    await enable(webhook, "RESUME");
    await clock.advance(1);
    expect(await count(webhook)).toEqual({ DELIVERED: 3 });
    await clock.advance(200_000);
    expect(receiver.requests).toHaveLength(3);
  });

  test("a hundred events for a host that refuses connections cost a few attempts, and the webhook is probed from then on", async () => {
    const refusing = await startTcpReceiver((socket) => void socket.resetAndDestroy());
    const webhook = await newWebhook(refusing.url);
    await raiseMany(webhook, 100);
    await clock.settle();
    const { consecutiveFailures: failures } = await find(webhook);
    // Attempts in progress when the tenth one failed still count.
    expect(failures).toBeGreaterThanOrEqual(10);
    expect(failures).toBeLessThanOrEqual(20);
    expect(await db().delivery.count({ where: { ...webhook.partition, automaticCount: 0 } })).toBe(
      100 - failures,
    );

    for (let probe = 1; probe <= 3; probe++) {
      await clock.advance(7.4);
      expect((await find(webhook)).consecutiveFailures).toBe(failures + probe - 1);
      await clock.advance(0.1);
      expect((await find(webhook)).consecutiveFailures).toBe(failures + probe);
    }
    await refusing.close();
  });

  test("a receiver that recovers gets every pending delivery once", async () => {
    receiver.respondWith(500);
    const webhook = await newWebhook(receiver.url);
    await raiseMany(webhook, 60);
    await clock.advance(16);
    expect((await find(webhook)).consecutiveFailures).toBeGreaterThanOrEqual(12);
    const failed = receiver.requests.length;
    receiver.respondWith(200);
    await clock.advance(180);
    // Given up by its own run in the meantime.
    await clock.settleWorker();
    expect(await count(webhook)).toEqual({ DELIVERED: 60 });
    expect(receiver.requests).toHaveLength(failed + 60);
    expect(await find(webhook)).toMatchObject({ consecutiveFailures: 0, probeAfter: null });
  });

  test("an interrupted disabling is completed", async () => {
    const webhook = await newWebhook(receiver.url);
    const key = { tenantId_environment_id: { ...webhook.partition, id: webhook.id } };
    await db().webhook.update({ where: key, data: { consecutiveFailures: 100 } });
    await raiseMany(webhook, 3);
    await clock.settle();
    expect(await find(webhook)).toMatchObject({
      status: "DISABLED",
      disabledReason: "CONSECUTIVE_FAILURES",
    });
    expect(await count(webhook)).toEqual({ HELD: 3 });

    await db().delivery.updateMany({
      where: { webhookId: webhook.id },
      data: { status: "PENDING", nextAttemptAt: new Date() },
    });
    await clock.settle();
    expect(await count(webhook)).toEqual({ HELD: 3 });
    expect(receiver.requests).toHaveLength(0);
  });

  test("a failure that ends after its webhook was disabled is held, not retried", async () => {
    const { webhook, delivery } = await newDelivery(receiver.url);
    receiver.respond = async (response) => {
      await setStatus(webhook, "DISABLED");
      response.writeHead(500).end();
    };
    await clock.advance(200_000);
    expect(await attemptsOf(webhook.partition, delivery.id)).toHaveLength(1);
    expect(await findDelivery(webhook.partition, delivery.id)).toMatchObject({
      status: "HELD",
      nextAttemptAt: null,
    });
  });
});
