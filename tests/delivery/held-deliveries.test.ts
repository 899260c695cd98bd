import { afterEach, beforeEach, expect, test } from "vitest";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { recordAttempts } from "@/lib/deliveries/engine/record";
import { sweepWebhooks } from "@/lib/deliveries/engine/sweep-webhooks";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { enableWebhook } from "@/lib/deliveries/service";
import { recordEvent } from "@/lib/events/record-event";
import { type Caller, mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { updateWebhook } from "@/lib/webhooks/service";
import {
  countByStatus,
  newWebhook,
  patchWebhook,
  raiseBacklog,
  raiseEvent,
  type TestWebhook,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => clock.release());

const setStatus = (webhook: TestWebhook, status: "ENABLED" | "DISABLED") =>
  patchWebhook(webhook, { status });
const resume = ({ partition, id }: TestWebhook) =>
  mutate(system(partition), (caller) => enableWebhook(caller, id, { held: "RESUME" }));

async function disabledWebhook(): Promise<TestWebhook> {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  await setStatus(webhook, "DISABLED");
  return webhook;
}

/** Does `work` in a transaction that stays open until `commit` is called. */
async function openTransaction(
  { partition }: TestWebhook,
  work: (caller: Caller) => Promise<unknown>,
) {
  let commit = () => {};
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = mutate(system(partition), async (caller) => {
      await work(caller);
      resolve();
      await mayCommit;
    });
    ended.catch(reject);
  });
  return {
    commit: () => {
      commit();
      return ended;
    },
  };
}

/** Resolves once a statement of this file's database waits for a lock; fails if `work` ends first. */
async function waitsForLock(work: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const note = () => {
    hasEnded = true;
  };
  work.then(note, note);
  const statement =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await pool().query(statement)).rowCount === 0) expect(hasEnded).toBe(false);
}

test("an event raised while its webhook is being enabled waits for that, and is sent", async () => {
  const webhook = await disabledWebhook();
  const enabling = await openTransaction(webhook, (caller) =>
    updateWebhook(caller, webhook.id, { status: "ENABLED" }),
  );
  const raising = raiseEvent(webhook.partition);
  await waitsForLock(raising);
  await enabling.commit();
  await raising;
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: 1 });
});

test("an event that was raised before, and commits after, is resumed with the others", async () => {
  const webhook = await disabledWebhook();
  await raiseEvent(webhook.partition);
  const raising = await openTransaction(webhook, (caller) =>
    recordEvent(caller, "message.received", { id: "msg_1" }, { conversation: null }),
  );
  const enabling = resume(webhook);
  await waitsForLock(enabling);
  await raising.commit();
  await enabling;
  expect(await workOffBacklog(500)).toBe(2);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: 2 });
});

test("a failure that is recorded while its webhook is being enabled is retried", async () => {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  const [reference] = await raiseEvent(webhook.partition);
  const delivery = reference && (await claimDelivery(reference, clock.now()));
  if (!delivery) throw new Error("the delivery could not be claimed");
  await setStatus(webhook, "DISABLED");

  const enabling = await openTransaction(webhook, (caller) =>
    updateWebhook(caller, webhook.id, { status: "ENABLED" }),
  );
  const result = { errorCode: "connection_refused" as const, durationMs: 1 };
  const recording = recordAttempts(
    [{ delivery, result, startedAt: clock.now(), trigger: "AUTOMATIC" }],
    clock.now(),
  );
  await waitsForLock(recording);
  await enabling.commit();
  expect(await recording).toMatchObject([
    { status: "PENDING", nextAttemptAt: expect.any(Date), consecutiveFailures: 1 },
  ]);
});

test("many events raised while a webhook is disabled and enabled are all sent or held, and resuming leaves none behind", async () => {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  let isDone = false;
  const raising = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let index = 0; index < 40; index++) await raiseEvent(webhook.partition);
    }),
  ).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setStatus(webhook, "DISABLED");
    await resume(webhook);
    await workOffBacklog(500);
  }
  await raising;
  while ((await workOffBacklog(500)) > 0);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: 160 });
  expect(await db().backlogTask.count({ where: webhook.partition })).toBe(0);
});

test("a large backlog is held in parts, so that stopping a worker does not wait for all of it", async () => {
  const webhook = await disabledWebhook();
  await raiseBacklog(webhook.partition, webhook.id, 12_000, clock.now());
  expect(await sweepWebhooks(100)).toBe(100);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({
    HELD: 10_000,
    PENDING: 2_000,
  });
  expect(await sweepWebhooks(100)).toBe(1);
  expect(await sweepWebhooks(100)).toBe(0);
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 12_000 });
});
