import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  claimDeliveries,
  claimOne,
  claimRequested,
  startOfScan,
} from "@/lib/deliveries/engine/claim";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { createAllowances } from "@/lib/deliveries/engine/webhook-concurrency";
import { pool } from "@/lib/platform/db";
import { probeAfterFailures } from "@/lib/webhooks/health";
import { startReceiver } from "../support/receiver";
import {
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type TestWebhook,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

// If there is less room than there are webhooks with due deliveries, those that use the least of it
// come first.

const nowhere = "http://127.0.0.1:9/";

let clock: VirtualClock;
beforeEach(async () => {
  clock = virtualClock();
  // Nothing that another test left behind.
  await pool().query(
    "UPDATE deliveries SET status = 'DISCARDED', next_attempt_at = NULL, requested_at = NULL",
  );
});
afterEach(() => clock.release());

const minutesAgo = (minutes: number) => clock.minutesAgo(minutes);

/** A delivery of the webhook. */
async function oneOf({ partition, id }: TestWebhook) {
  const { rows } = await pool().query("SELECT id FROM deliveries WHERE webhook_id = $1", [id]);
  return { ...partition, id: rows[0].id as string };
}

async function newWaiting(count: number, minutes: number, options = {}): Promise<TestWebhook> {
  const webhook = await newWebhook(nowhere, undefined, options);
  await raiseBacklog(webhook.partition, webhook.id, count, minutesAgo(minutes));
  return webhook;
}

/** Which webhooks a claim takes from, of those with so many in flight. */
async function claim(limit: number, webhooks: [TestWebhook, number][]) {
  const { deliveries } = await claimAll(limit, webhooks);
  return deliveries.map(({ webhookId }) => webhookId);
}

const claimAll = (limit: number, webhooks: [TestWebhook, number][]) =>
  claimDeliveries({
    ...{ now: clock.now(), limit, cursor: startOfScan, overdueSeconds: 0 },
    ...{ allowances: new Map(webhooks.map(([{ id }]) => [id, 100])), defaultAllowance: 4 },
    inFlight: new Map(webhooks.map(([{ id }, inFlight]) => [id, inFlight])),
  });

test("a claim with little room takes from the webhooks with the fewest in flight, ordered ones too", async () => {
  const [busiest, busy, quiet] = [
    await newWaiting(3, 60),
    await newWaiting(3, 50),
    await newWaiting(3, 1),
  ];
  const ordered = await newWaiting(3, 1, { ordering: "conversation" });
  const inFlight: [TestWebhook, number][] = [
    [busiest, 9],
    [busy, 5],
    [quiet, 2],
    [ordered, 0],
  ];
  expect(await claim(1, inFlight)).toEqual([ordered.id]);
  expect((await claim(2, inFlight)).sort()).toEqual([ordered.id, quiet.id].sort());
  expect((await claim(3, inFlight)).sort()).toEqual([ordered.id, quiet.id, busy.id].sort());
  // With room for all, each gets its share.
  expect(new Set(await claim(8, inFlight))).toEqual(new Set([quiet.id, busy.id, busiest.id]));
});

test("of webhooks with as many in flight, the one that has waited longest comes first", async () => {
  const webhooks: TestWebhook[] = [];
  for (const minutes of [3, 9, 1, 7, 5]) webhooks.push(await newWaiting(1, minutes));
  const taken: string[] = [];
  for (const _ of webhooks)
    taken.push(
      ...(await claim(
        1,
        webhooks.map((webhook) => [webhook, 0]),
      )),
    );
  expect(taken).toEqual([1, 3, 4, 0, 2].map((index) => webhooks[index]?.id));
});

test("webhooks whose due deliveries are all in flight take no place from others", async () => {
  const empty: TestWebhook[] = [];
  for (let index = 0; index < 12; index++) empty.push(await newWaiting(1, 60));
  for (const { id } of empty)
    await pool().query(
      "UPDATE deliveries SET lease_holder = $2, lease_expires_at = $3 WHERE webhook_id = $1",
      [id, randomUUID(), new Date(clock.now().getTime() + 30_000)],
    );
  // So many that the scan of waiting webhooks runs, which sees those in flight.
  const busy = await newWaiting(200, 1);
  const inFlight: [TestWebhook, number][] = [
    ...empty.map((webhook): [TestWebhook, number] => [webhook, 1]),
    [busy, 90],
  ];
  expect(await claim(1, inFlight)).toEqual([busy.id]);
});

test("a claim says when to try again if its place went to a failing webhook whose row is locked", async () => {
  const failing = await newWaiting(1, 60);
  await pool().query(
    "UPDATE webhooks SET consecutive_failures = $2, probe_after = NULL WHERE id = $1",
    [failing.id, probeAfterFailures],
  );
  const healthy = await newWaiting(1, 1);
  const webhooks: [TestWebhook, number][] = [
    [failing, 0],
    [healthy, 1],
  ];
  const other = await pool().connect();
  await other.query("BEGIN");
  await other.query("SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE", [failing.id]);
  const { deliveries, againMs } = await claimAll(1, webhooks);
  expect(deliveries).toEqual([]);
  expect(Math.round(againMs ?? 0)).toBe(50);
  const single = await claimOne(await oneOf(failing), clock.now());
  expect(single).toEqual({ delivery: null, againMs: 50 });
  // With room for both, the other one is not delayed.
  expect(await claim(2, webhooks)).toEqual([healthy.id]);
  await other.query("COMMIT");
  other.release();
  const free = await claimAll(1, webhooks);
  expect(free.deliveries.map(({ webhookId }) => webhookId)).toEqual([failing.id]);
  expect(free.againMs).toBeNull();
});

test("a webhook that is paused or blocked does not cause another claim", () => {
  const allowances = createAllowances(128);
  const isWorthIt = () => allowances.noteSaturation(allowances.remaining(), new Map());
  for (const id of ["paused", "blocked"]) {
    allowances.take(id);
    allowances.release(id, true);
  }
  allowances.pause("paused", 60_000);
  allowances.block("blocked", true);
  expect([...allowances.remaining().values()]).toEqual([0, 0]);
  expect(isWorthIt()).toBe(false);
  allowances.block("blocked", false);
  expect(allowances.remaining().get("blocked")).toBeGreaterThan(0);
});

test("requested attempts are claimed in turn: the first of each webhook, then the second", async () => {
  const webhooks = [await newWaiting(4, 9), await newWaiting(4, 9), await newWaiting(4, 9)];
  for (const [place, { id }] of webhooks.entries())
    await pool().query(
      `UPDATE deliveries SET requested_at = $2, requested_trigger = 'MANUAL' WHERE webhook_id = $1`,
      [id, minutesAgo(9 - place)],
    );
  const taken: string[] = [];
  for (let round = 0; round < 3; round++)
    taken.push(
      ...(await claimRequested({ now: clock.now(), limit: 3, overdueSeconds: 0 })).deliveries.map(
        ({ webhookId }) => webhookId,
      ),
    );
  for (const start of [0, 3, 6])
    expect(new Set(taken.slice(start, start + 3))).toEqual(new Set(webhooks.map(({ id }) => id)));
});

test("while slow webhooks use every slot, the next free slot is for the one that has none", async () => {
  const held: { response: ServerResponse; path: string }[] = [];
  const receiver = await startReceiver((response, { path }) => void held.push({ response, path }));
  const slots = 6;
  for (const path of ["one", "two", "three"]) {
    const { partition, id } = await newWebhook(`${receiver.url}/${path}`);
    await raiseBacklog(partition, id, 100, minutesAgo(60));
  }
  const delivering = startDelivering({ concurrency: slots, pollMs: 20 });
  try {
    await receiver.received(slots);
    const quiet = await newWebhook(`${receiver.url}/quiet`, undefined, {
      ordering: "conversation",
    });
    await raiseEvent(quiet.partition);
    held.shift()?.response.writeHead(200).end();
    await receiver.received(slots + 1);
    expect(receiver.requests.at(-1)?.path).toBe("/quiet");
  } finally {
    receiver.respond = (response) => void response.writeHead(200).end();
    for (const { response } of held) response.writeHead(200).end();
    await delivering.stop();
    await receiver.close();
  }
});
