import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claimDeliveries, startOfScan } from "@/lib/deliveries/engine/claim";
import { db } from "@/lib/platform/db";
import { cachedFor, probes, readiness } from "@/lib/readiness/service";
import { runAdmin } from "../support/admin";
import { newWebhook, raiseBacklog, type TestWebhook } from "../support/webhooks";

const url = "http://127.0.0.1:9/";
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const ready = readiness;
const change = ({ id }: TestWebhook, data: object) =>
  db().webhook.updateMany({ where: { id }, data });

beforeEach(async () => {
  await db().delivery.deleteMany();
});
afterEach(() => void vi.useRealTimers());

test("200 says which clock runs, how long the oldest delivery has waited, and how many are due, in progress and held", async () => {
  expect(await probes["/ready"]()).toEqual({
    status: 200,
    body: {
      status: "ready",
      database: "reachable",
      clock: "embedded",
      oldestDueDeliverySeconds: 0,
      deliveries: { due: 0, inProgress: 0, held: 0 },
      oldestExpiredRowSeconds: 0,
    },
  });

  const startedAt = Date.now();
  const [waiting, held] = [await newWebhook(url), await newWebhook(url)];
  await raiseBacklog(waiting.partition, waiting.id, 10, secondsAgo(100));
  await raiseBacklog(waiting.partition, waiting.id, 5, secondsAgo(-100));
  await raiseBacklog(held.partition, held.id, 7, secondsAgo(500));
  await db().delivery.updateMany({
    where: { webhookId: held.id },
    data: { status: "HELD", nextAttemptAt: null },
  });
  const claim = {
    now: null,
    limit: 100,
    cursor: startOfScan,
    allowances: new Map(),
    defaultAllowance: 3,
    overdueSeconds: 0,
  };
  await claimDeliveries(claim);

  const { oldestDueDeliverySeconds, deliveries } = await ready();
  expect(oldestDueDeliverySeconds).toBeGreaterThanOrEqual(100);
  expect(oldestDueDeliverySeconds).toBeLessThanOrEqual(101 + (Date.now() - startedAt) / 1_000);
  expect(deliveries).toEqual({ due: 10, inProgress: 3, held: 7 });
});

test("a webhook with a limit per second counts as late only if it is sent nothing", async () => {
  const webhook = await newWebhook(url, undefined, { maxPerSecond: 1 });
  await raiseBacklog(webhook.partition, webhook.id, 10, secondsAgo(500));
  await change(webhook, { nextPacedAt: secondsAgo(1) });
  expect(await ready()).toMatchObject({ oldestDueDeliverySeconds: 0 });
  await change(webhook, { nextPacedAt: secondsAgo(100) });
  expect((await ready()).oldestDueDeliverySeconds).toBeGreaterThanOrEqual(500);
});

test("/ready queries the database at most once a second, no matter how many requests it gets", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const first = await probes["/ready"]();
  expect((await probes["/ready"]()).body).toBe(first.body);

  let nowMs = 0;
  let checks = 0;
  let finish = () => {};
  const check = () => {
    checks++;
    return new Promise<number>((resolve) => {
      finish = () => resolve(checks);
    });
  };
  const ask = cachedFor(check, 1_000, () => nowMs);
  const waiting = [ask(), ask()];
  nowMs = 5_000;
  waiting.push(ask());
  finish();
  expect(await Promise.all(waiting)).toEqual([1, 1, 1]);
  nowMs = 5_999;
  expect(await ask()).toBe(1);
  nowMs = 6_000;
  const next = ask();
  finish();
  expect(await next).toBe(2);
});

test("deliveries that wait for a failing webhook raise no alarm, and those that wait behind them do", async () => {
  const failing = await newWebhook(url);
  await raiseBacklog(failing.partition, failing.id, 20, secondsAgo(10_000));
  await change(failing, { consecutiveFailures: 10, probeAfter: secondsAgo(-5) });
  expect(await ready()).toMatchObject({ oldestDueDeliverySeconds: 0, deliveries: { due: 20 } });

  const waiting = await newWebhook(url);
  await raiseBacklog(waiting.partition, waiting.id, 1, secondsAgo(200));
  expect((await ready()).oldestDueDeliverySeconds).toBeGreaterThanOrEqual(200);
});

test("no more than 10,000 of a kind are counted, and doctor says so", async () => {
  const webhook = await newWebhook(url);
  await raiseBacklog(webhook.partition, webhook.id, 12_000, secondsAgo(5));
  expect((await ready()).deliveries).toEqual({ due: 10_000, inProgress: 0, held: 0 });
  const { output, exitCode } = await runAdmin(["doctor"]);
  expect(output).toMatch(
    /ok {5}deliveries: the oldest one that is due has waited [\d.]+ s; 10000\+ due, 0 of them in progress, 0 held/,
  );
  expect(exitCode).toBe(0);

  await db().delivery.updateMany({
    where: { webhookId: webhook.id },
    data: { nextAttemptAt: secondsAgo(500) },
  });
  const late = await runAdmin(["doctor"]);
  expect(late.output).toMatch(
    /WRONG {2}deliveries: the oldest one that is due has waited 5\d\d s\. Is the worker running\?/,
  );
  expect(late.exitCode).toBe(1);
});
