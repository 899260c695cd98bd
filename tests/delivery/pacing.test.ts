import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { claimDeliveries, claimRequested, startOfScan } from "@/lib/deliveries/engine/claim";
import { resendDelivery } from "@/lib/deliveries/service";
import { mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { updateWebhook } from "@/lib/webhooks/service";
import { clock, receiver, withEachClock } from "../support/clocks";
import {
  findDelivery,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

const seconds = (date: Date) => date.getTime() / 1_000;

withEachClock(() => {
  test("a webhook gets no more attempts in any second than its limit, all of them once, and waiting uses up none", async () => {
    const webhook = await newWebhook(receiver.url, undefined, { maxPerSecond: 2 });
    const other = await newWebhook(`${receiver.url}/other`, webhook.partition);
    const startedAt: number[] = [];
    receiver.respond = (response, { path }) => {
      if (path === "/") startedAt.push(seconds(clock.now()));
      response.writeHead(200).end();
    };
    for (let number = 0; number < 7; number++) await raiseEvent(webhook.partition);
    await clock.settle();
    const unlimited = () => receiver.requests.filter(({ path }) => path === "/other").length;
    expect(unlimited()).toBe(7);

    await clock.advance(20);
    await clock.settleWorker();
    expect(startedAt).toHaveLength(7);
    for (const since of startedAt)
      expect(startedAt.filter((at) => at >= since && at < since + 1).length).toBeLessThanOrEqual(2);
    expect(startedAt.at(-1)).toBeLessThan((startedAt[0] ?? 0) + 6);
    const attempts = await db().delivery.findMany({ where: { webhookId: webhook.id } });
    expect(attempts.map(({ attemptCount }) => attemptCount)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(other.id).not.toBe(webhook.id);
  });
});

describe("claims", () => {
  let time: VirtualClock;
  beforeEach(async () => {
    time = virtualClock();
    // Nothing that another test left behind.
    await pool().query("UPDATE deliveries SET status = 'DISCARDED', next_attempt_at = NULL");
  });
  afterEach(() => time.release());

  const claim = (limit = 160) =>
    claimDeliveries({
      limit,
      cursor: startOfScan,
      allowances: new Map(),
      defaultAllowance: 100,
      overdueSeconds: 0,
    });

  test.each([1, 7, 40, 100, 1_000])(
    "a limit of %i holds for any second, across workers that claim all the time",
    async (maxPerSecond) => {
      const webhook = await newWebhook("http://127.0.0.1:9/", undefined, { maxPerSecond });
      const total = Math.min(6 * maxPerSecond, 2_000);
      await raiseBacklog(webhook.partition, webhook.id, total, time.now());
      const claimedAt: number[] = [];
      const durationMs = 1_500;
      for (let elapsed = 0; elapsed < durationMs; elapsed += 5) {
        const claims = await Promise.all([claim(), claim()]);
        for (const { deliveries } of claims)
          for (const _ of deliveries) claimedAt.push(time.now().getTime());
        time.advance(0.005);
      }
      for (const since of new Set(claimedAt))
        expect(
          claimedAt.filter((at) => at >= since && at < since + 1_000).length,
        ).toBeLessThanOrEqual(maxPerSecond);
      // Nearly all of what the limit allows: 95%, less what the claims every 5 ms miss.
      const expected = (durationMs / 1_000) * maxPerSecond;
      expect(claimedAt.length).toBeGreaterThanOrEqual(Math.floor(0.75 * expected));
    },
  );

  test("a claim says when it can take more, so that a worker waits instead of claiming", async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/", undefined, { maxPerSecond: 4 });
    await raiseBacklog(webhook.partition, webhook.id, 10, time.now());
    const first = await claim();
    expect(first.deliveries).toHaveLength(1);
    expect(Math.round(first.againMs ?? 0)).toBe(250);
    time.advance(0.1);
    const second = await claim();
    expect(second).toMatchObject({ deliveries: [] });
    expect(Math.round(second.againMs ?? 0)).toBe(150);
  });

  test("tests and resends count, and go before what is due", async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/", undefined, { maxPerSecond: 1 });
    const [delivery] = await raiseBacklog(webhook.partition, webhook.id, 3, time.now());
    if (!delivery) throw new Error("nothing was raised");
    await attemptDelivery(delivery);
    await mutate(system(webhook.partition), (caller) =>
      resendDelivery(caller, webhook.id, delivery.id),
    );
    expect((await claimRequested({ limit: 10, overdueSeconds: 0 })).deliveries).toEqual([]);
    time.advance(1.1);
    expect((await claim()).deliveries).toEqual([]);
    expect((await claimRequested({ limit: 10, overdueSeconds: 0 })).deliveries).toHaveLength(1);
    expect((await claim()).deliveries).toEqual([]);
    time.advance(1.1);
    expect((await claim()).deliveries).toHaveLength(1);
  });

  test("many resends go at the limit, and those that hang leave the rest to what is due", async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/", undefined, { maxPerSecond: 20 });
    const [due, requested] = [
      await raiseBacklog(webhook.partition, webhook.id, 30, time.now()),
      await raiseBacklog(webhook.partition, webhook.id, 30, time.now()),
    ];
    await db().delivery.updateMany({
      where: { id: { in: requested.map(({ id }) => id) } },
      data: { requestedAt: time.now(), requestedTrigger: "MANUAL" },
    });
    const taken: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const { deliveries, againMs } = await claimRequested({ limit: 20, overdueSeconds: 0 });
      taken.push(...[...deliveries, ...(await claim()).deliveries].map(({ id }) => id));
      expect(taken).toHaveLength(turn + 1);
      // While one of them may start, the worker claims as often as the limit allows.
      expect(againMs === null ? null : Math.round(againMs)).toBe(turn < 5 ? 50 : null);
      time.advance(0.05);
    }
    const isRequested = taken.map((id) => requested.some((delivery) => delivery.id === id));
    expect(isRequested).toEqual(Array.from({ length: 20 }, (_, turn) => turn < 5));
    expect(due.map(({ id }) => id)).toEqual(expect.arrayContaining(taken.slice(5)));
  });

  test("a limit that is removed no longer delays", async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/", undefined, { maxPerSecond: 1 });
    await raiseBacklog(webhook.partition, webhook.id, 3, time.now());
    expect((await claim()).deliveries).toHaveLength(1);
    await mutate(system(webhook.partition), (caller) =>
      updateWebhook(caller, webhook.id, { maxPerSecond: null }),
    );
    expect((await claim()).deliveries).toHaveLength(2);
  });

  test("a single delivery waits for the limit too, and says until when", async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/", undefined, { maxPerSecond: 1 });
    const [first] = await raiseEvent(webhook.partition);
    const [second] = await raiseEvent(webhook.partition);
    if (!first || !second) throw new Error("nothing was raised");
    await attemptDelivery(first);
    const { state, retryAt } = await attemptDelivery(second);
    expect(state).toBe("waiting");
    expect(new Date(retryAt ?? 0).getTime() - time.now().getTime()).toBeGreaterThanOrEqual(1_000);
    expect(await findDelivery(webhook.partition, second.id)).toMatchObject({ attemptCount: 0 });
  });
});
