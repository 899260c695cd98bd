import pg from "pg";
import { afterAll, afterEach, expect, test } from "vitest";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { endedAttempt } from "@/lib/deliveries/engine/record";
import { createRecorder } from "@/lib/deliveries/engine/recorder";
import { enableWebhook, replayWebhook } from "@/lib/deliveries/service";
import { type Caller, mutate, system } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { hasWaiting, watch } from "../support/locks";
import { type Receiver, startReceiver } from "../support/receiver";
import { newWebhook, raiseBacklog, raiseEvent, type TestWebhook } from "../support/webhooks";

// While a webhook's row is locked, the attempts of all others are recorded, and sending goes on.

// A statement that waits for a lock must not go on without it, so that the test finds it waiting.
databaseWaits.lock = 120_000;
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";

const nowhere = "http://127.0.0.1:9/";
const refused = { errorCode: "connection_refused", durationMs: 1 } as const;

const others: pg.Client[] = [];
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => Promise.all(others.map((client) => client.end())));

/** Another process's connection. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  others.push(client);
  return client;
}

/** Locks a row until the returned function is called. */
async function lock(table: "webhooks" | "deliveries", id: string): Promise<() => Promise<unknown>> {
  const client = await connect();
  await client.query("BEGIN");
  await client.query(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, [id]);
  return () => client.query("COMMIT");
}

async function failedAttempt({ partition }: TestWebhook) {
  const [reference] = await raiseEvent(partition);
  const delivery = reference && (await claimDelivery(reference));
  if (!delivery) throw new Error("the delivery could not be claimed");
  return endedAttempt(delivery, refused, new Date());
}

test.each(["webhooks", "deliveries"] as const)(
  "attempts of a webhook wait while one of its %s is locked, and those of others do not",
  async (table) => {
    const [locked, free] = [await newWebhook(nowhere), await newWebhook(nowhere)];
    const first = await failedAttempt(locked);
    const release = await lock(table, table === "webhooks" ? locked.id : first.delivery.id);
    const changes: [string, boolean][] = [];
    const recorder = createRecorder({ onBlocked: (...change) => changes.push(change) });

    const waiting = [recorder.record(first)];
    const states = waiting.map(watch);
    expect(await recorder.record(await failedAttempt(free))).toMatchObject({ status: "PENDING" });
    // Later ones wait behind it, in the order in which they ended.
    for (let count = 2; count <= 4; count++) {
      const recording = recorder.record(await failedAttempt(locked));
      waiting.push(recording);
      states.push(watch(recording));
      expect(await recorder.record(await failedAttempt(free))).toMatchObject({
        status: "PENDING",
        consecutiveFailures: count,
      });
    }
    expect(states.some(({ hasSettled }) => hasSettled)).toBe(false);
    expect(recorder.size()).toBe(0);
    expect(recorder.blockedSize()).toBe(4);

    await release();
    const failures = (await Promise.all(waiting)).map((attempt) => attempt?.consecutiveFailures);
    expect(failures).toEqual(failures.toSorted());
    expect(failures.at(-1)).toBe(4);
    await expect.poll(() => recorder.blockedSize()).toBe(0);
    expect(changes).toContainEqual([locked.id, true]);
    await expect.poll(() => changes.at(-1)).toEqual([locked.id, false]);
    // Then it shares statements again.
    expect(await recorder.record(await failedAttempt(locked))).toMatchObject({
      consecutiveFailures: 5,
    });
    await recorder.flush();
  },
);

test("a webhook that is locked while its receiver fails does not hold up the deliveries of others", async () => {
  const failing: Receiver = await startReceiver((response) => void response.writeHead(500).end());
  const healthy: Receiver = await startReceiver();
  cleanups.push(failing.close, healthy.close);
  const [locked, free] = [await newWebhook(failing.url), await newWebhook(healthy.url)];
  const release = await lock("webhooks", locked.id);
  const due = new Date(Date.now() - 60_000);
  await raiseBacklog(locked.partition, locked.id, 200, due);
  const delivering = startDelivering({ pollMs: 20 });
  cleanups.push(() => delivering.stop());
  await expect.poll(() => failing.requests.length).toBeGreaterThan(0);
  // More than may be unrecorded.
  await raiseBacklog(free.partition, free.id, 400, due);
  delivering.wake();
  const delivered = ({ partition, id }: TestWebhook) =>
    db().delivery.count({ where: { ...partition, webhookId: id, status: "DELIVERED" } });
  await expect.poll(() => delivered(free), { timeout: 60_000 }).toBe(400);
  const attempts = () =>
    db().delivery.count({ where: { ...locked.partition, webhookId: locked.id, attemptCount: 1 } });
  expect(await attempts()).toBe(0);

  await release();
  await expect.poll(attempts, { timeout: 60_000 }).toBeGreaterThan(0);
});

/** Until it ends, `work` waits to read deliveries, and the webhook must not be locked. */
async function expectUnlocked<Result>(
  webhook: TestWebhook,
  work: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  const client = await connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE");
  const result = mutate(system(webhook.partition), work);
  while (!(await hasWaiting(client)));
  const other = await connect();
  const { rowCount } = await other.query(
    "SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE NOWAIT",
    [webhook.id],
  );
  expect(rowCount).toBe(1);
  await client.query("COMMIT");
  return result;
}

test("a webhook is not locked while the events for a replay are counted", async () => {
  const webhook = await newWebhook(nowhere);
  await raiseEvent(webhook.partition);
  await db().delivery.updateMany({ where: webhook.partition, data: { status: "DELIVERED" } });
  const since = new Date(Date.now() - 60_000);
  const replay = (caller: Caller) => replayWebhook(caller, webhook.id, { since, dryRun: false });
  expect(await expectUnlocked(webhook, replay)).toMatchObject({ count: 1 });
});

test("a webhook is not locked while the deliveries that it held are counted", async () => {
  const webhook = await newWebhook(nowhere);
  await raiseEvent(webhook.partition);
  const { partition, id } = webhook;
  await db().webhook.updateMany({ where: { ...partition, id }, data: { status: "DISABLED" } });
  await db().delivery.updateMany({ where: partition, data: { status: "HELD" } });
  const enable = (caller: Caller) => enableWebhook(caller, id, { held: "RESUME" });
  expect(await expectUnlocked(webhook, enable)).toMatchObject({ status: "ENABLED" });
  const where = { ...partition, webhookId: id, action: "RESUME" as const };
  expect(await db().backlogTask.count({ where })).toBe(1);
});
