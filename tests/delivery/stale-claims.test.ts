import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { claimDelivery, leaseSeconds, mayStart } from "@/lib/deliveries/engine/claim";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { giveBack } from "@/lib/deliveries/engine/release-leases";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { hasWaiting } from "../support/locks";
import { startReceiver } from "../support/receiver";
import { findDelivery, newDelivery, newWebhook, raiseBacklog } from "../support/webhooks";

const nowhere = "http://127.0.0.1:9/";

/** Recording waits for this lock, without a limit. */
const recordingLock = 3;
const holdRecording = `
  CREATE FUNCTION hold_recording() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true);
    PERFORM pg_advisory_xact_lock_shared(${recordingLock});
    RETURN NULL;
  END $$;
  CREATE TRIGGER hold_recording AFTER INSERT ON delivery_days FOR EACH STATEMENT EXECUTE FUNCTION hold_recording()`;

beforeAll(async () => {
  process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";
  await pool().query(holdRecording);
});

// What a test leaves would be sent in the next one.
beforeEach(async () => {
  await pool().query("DELETE FROM deliveries");
});

/** So that recording successes does not lock the webhook. */
const succeedsLater = (id: string) =>
  pool().query("UPDATE webhooks SET last_success_at = now() + interval '1 hour' WHERE id = $1", [
    id,
  ]);

test("what was claimed before its webhook changed and could not be sent for seconds is claimed again", async () => {
  const [before, after] = [await startReceiver(), await startReceiver()];
  const { partition, id } = await newWebhook(before.url);
  await succeedsLater(id);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await client.query("SELECT pg_advisory_lock($1)", [recordingLock]);
  await raiseBacklog(partition, id, 400, new Date(Date.now() - 60_000));
  const delivering = startDelivering({ pollMs: 20 });
  let sent = 0;
  try {
    // More may not be unrecorded. The others that are claimed wait.
    await expect
      .poll(() => delivering.state(), { timeout: 60_000 })
      .toMatchObject({ inFlight: 0, unrecorded: expect.toSatisfy((count) => count >= 160) });
    await client.query("UPDATE webhooks SET url = $2 WHERE id = $1", [id, after.url]);
    sent = before.requests.length;
    await sleep(2_100);
    await client.query("SELECT pg_advisory_unlock($1)", [recordingLock]);
    await after.received(400 - sent);
  } finally {
    await client.query("SELECT pg_advisory_unlock_all()");
    await delivering.stop();
    await client.end();
    for (const { close } of [before, after]) await close();
  }
  expect(before.requests).toHaveLength(sent);
  const ids = [...before.requests, ...after.requests].map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(400);
  expect(ids).toHaveLength(400);
});

test("deliveries with a limit per second do not gather while they cannot be sent", async () => {
  const receiver = await startReceiver();
  const [busy, paced] = [
    await newWebhook(receiver.url),
    await newWebhook(receiver.url, undefined, { maxPerSecond: 100 }),
  ];
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  const delivering = startDelivering({ pollMs: 20 });
  const countLeased = async () => {
    const { rows } = await pool().query<{ count: number }>(
      "SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND lease_holder IS NOT NULL",
      [paced.id],
    );
    return rows[0]?.count ?? 0;
  };
  const leased: number[] = [];
  try {
    // The worker learns that it may claim many of each.
    await raiseBacklog(paced.partition, paced.id, 100, new Date(Date.now() - 60_000));
    await receiver.received(100);
    await expect.poll(countLeased).toBe(0);
    await client.query("SELECT pg_advisory_lock($1)", [recordingLock]);
    await raiseBacklog(busy.partition, busy.id, 160, new Date(Date.now() - 60_000));
    // More may not be unrecorded.
    await expect
      .poll(() => delivering.state(), { timeout: 60_000 })
      .toEqual({ inFlight: 0, unrecorded: 160 });
    await raiseBacklog(paced.partition, paced.id, 100, new Date(Date.now() - 60_000));
    await expect.poll(countLeased, { interval: 5 }).toBeGreaterThan(0);
    for (const untilMs = performance.now() + 1_200; performance.now() < untilMs; await sleep(20))
      leased.push(await countLeased());
  } finally {
    await client.query("SELECT pg_advisory_unlock_all()");
    await delivering.stop();
    await client.end();
    await receiver.close();
  }
  // 16 that were sent, those of 50 ms, and what is being given back.
  expect(Math.max(...leased)).toBeLessThan(41);
});

test("deliveries with a limit per second do not wait until those of other webhooks are recorded", async () => {
  const [fast, limited] = [await startReceiver(), await startReceiver()];
  const busy = await newWebhook(fast.url);
  const paced = await newWebhook(limited.url, undefined, { maxPerSecond: 20 });
  await succeedsLater(busy.id);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await client.query("SELECT pg_advisory_lock($1)", [recordingLock]);
  await raiseBacklog(busy.partition, busy.id, 200, new Date(Date.now() - 60_000));
  const delivering = startDelivering({ pollMs: 20 });
  try {
    await expect
      .poll(() => delivering.state(), { timeout: 60_000 })
      .toMatchObject({ inFlight: 0, unrecorded: expect.toSatisfy((count) => count >= 160) });
    await raiseBacklog(paced.partition, paced.id, 4, new Date(Date.now() - 60_000));
    await limited.received(4);
  } finally {
    await client.query("SELECT pg_advisory_unlock_all()");
    await delivering.stop();
    await client.end();
    for (const { close } of [fast, limited]) await close();
  }
});

test("only the holder of a lease can give its delivery back", async () => {
  const { delivery } = await newDelivery(nowhere);
  const first = await claimDelivery(delivery);
  if (!first) throw new Error("the delivery could not be claimed");
  await giveBack([{ ...first, leaseHolder: "another" }]);
  expect(await claimDelivery(delivery)).toBeNull();
  await giveBack([first]);
  const second = await claimDelivery(delivery);
  expect(second).toMatchObject({ id: delivery.id, attemptNumber: 1 });
  await giveBack([first]);
  expect((await findDelivery(delivery, delivery.id)).leaseHolder).toBe(second?.leaseHolder);
});

test("a claim counts from when it began, however late its rows arrive", async () => {
  const { delivery } = await newDelivery(nowhere);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE");
  const claiming = claimDelivery(delivery);
  while (!(await hasWaiting(client)));
  const waitsMs = performance.now();
  await client.query("COMMIT");
  await client.end();
  const claimed = await claiming;
  if (!claimed) throw new Error("the delivery could not be claimed");
  expect(claimed.claimedAtMs).toBeLessThan(waitsMs);
  expect(mayStart({ ...claimed, claimedAtMs: performance.now() })).toBe(true);
  const halfLeaseMs = (leaseSeconds * 1_000) / 2;
  expect(mayStart({ ...claimed, claimedAtMs: performance.now() - halfLeaseMs - 1 })).toBe(false);
});
