import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listDeliveriesQuery } from "@/lib/deliveries/schema";
import { getDelivery, listDeliveries } from "@/lib/deliveries/service";
import { listEventsQuery } from "@/lib/events/schema";
import { getPayload, listEvents } from "@/lib/events/service";
import { type DeliveryReference, type Partition, reader, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { newId } from "@/lib/resources/ids";
import { createPartitions } from "@/lib/retention/partitions";
import { oldestExpired, purgeExpired } from "@/lib/retention/purge-expired";
import { changeState, createGuards, dropGuards } from "@/lib/tenant-move/guard";
import { grantApplicationRole } from "@/prisma/roles";
import {
  attemptsOf,
  countByStatus,
  newWebhook,
  raiseBacklog,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const retentionMs = 30 * dayMs;

const url = "http://127.0.0.1:9/";

/** Each test has weeks of its own, each later than the one before, because ids only go up. */
let monday = new Date("2040-01-02T00:00:00.000Z");
let clock: VirtualClock;

beforeEach(async () => {
  monday = new Date(monday.getTime() + 40 * weekMs);
  clock = virtualClock(new Date(monday.getTime() + dayMs));
  await createPartitions();
});
afterEach(() => clock.release());

const toEndOfRetention = (earlierMs = 0) =>
  clock.advanceTo(new Date(monday.getTime() + weekMs + retentionMs - earlierMs));

async function purgeAll(): Promise<void> {
  while ((await purgeExpired(1_000)) > 0);
}

/** The partitions that exist of a week, by default the current test's first one. */
async function partitionsOfWeek(start = monday): Promise<string[]> {
  const { rows } = await pool().query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' AND relname LIKE '%\\_' || $1 ORDER BY 1",
    [start.toISOString().slice(0, 10).replaceAll("-", "")],
  );
  return rows.map(({ name }) => name.slice(0, -9));
}

const partitioned = ["deliveries", "delivery_attempts", "events", "request_logs"];

async function addAttempt({ id, ...partition }: DeliveryReference): Promise<void> {
  const attempt = { deliveryId: id, number: 1, startedAt: clock.now(), durationMs: 1 };
  await db().deliveryAttempt.create({ data: { ...partition, ...attempt } });
}

async function addRequestLog(partition: Partition): Promise<string> {
  const id = newId("request", clock.now());
  const log = { apiKeyId: "key", method: "GET", path: "/", status: 200, durationMs: 1 };
  await db().requestLog.create({ data: { ...partition, id, ...log, createdAt: clock.now() } });
  return id;
}

/** Raises an event whose id has the clock's time: no id is earlier than the one before it. */
async function raiseInWeek(partition: Partition): Promise<DeliveryReference> {
  newId("event", clock.now());
  const [delivery] = await raiseEvent(partition);
  if (!delivery) throw new Error("the event reached no webhook");
  return delivery;
}

/** A delivery with an attempt, and changed as given. */
async function addDelivery(
  partition: Partition,
  data: Parameters<ReturnType<typeof db>["delivery"]["update"]>[0]["data"],
): Promise<DeliveryReference> {
  const delivery = await raiseInWeek(partition);
  await addAttempt(delivery);
  const { tenantId, environment, id } = delivery;
  const where = { tenantId_environment_id: { tenantId, environment, id } };
  await db().delivery.update({ where, data: { nextAttemptAt: null, ...data } });
  return delivery;
}

const eventsOf = async (partition: Partition, query: Record<string, string> = {}) =>
  (await listEvents(reader(system(partition)), listEventsQuery.parse(query))).data.map(
    ({ id }) => id,
  );

const left = async ({ tenantId }: Partition, suffix = "") => {
  const count = async (table: string) =>
    (await pool().query(`SELECT FROM ${table}${suffix} WHERE tenant_id = $1`, [tenantId])).rowCount;
  return Promise.all(partitioned.map(count));
};

const leftInDefault = (partition: Partition) => left(partition, "_default");

test("30 days after a week ended, it is dropped with its events, deliveries, attempts and request logs", async () => {
  const { partition, id } = await newWebhook(url);
  for (const status of ["DELIVERED", "FAILED", "DISCARDED"] as const)
    await addDelivery(partition, { status, updatedAt: clock.now() });
  await addRequestLog(partition);
  expect(await partitionsOfWeek()).toEqual(partitioned);

  toEndOfRetention(1);
  await purgeAll();
  expect(await left(partition)).toEqual([3, 3, 3, 1]);
  toEndOfRetention();
  expect(await oldestExpired()).toMatchObject({ seconds: 0 });
  await purgeAll();
  expect(await left(partition)).toEqual([0, 0, 0, 0]);
  expect(await partitionsOfWeek()).toEqual([]);
  expect(await countByStatus(partition, id)).toEqual({});
});

test("what is unfinished when its week is dropped stays with its event and attempts, until it is finished", async () => {
  const { partition, id } = await newWebhook(url);
  const recently = new Date(monday.getTime() + weekMs + retentionMs - dayMs);
  const unfinished = [
    { status: "PENDING", nextAttemptAt: clock.now() },
    { status: "DELIVERED", requestedAt: clock.now(), requestedTrigger: "MANUAL" },
    { status: "HELD", updatedAt: recently },
    { status: "DISCARDED", updatedAt: recently },
  ] as const;
  const kept: DeliveryReference[] = [];
  for (const data of unfinished) kept.push(await addDelivery(partition, data));
  await addDelivery(partition, { status: "DELIVERED" });

  toEndOfRetention();
  await purgeAll();
  expect(await partitionsOfWeek()).toEqual([]);
  expect(await left(partition)).toEqual([4, 4, 4, 0]);
  for (const delivery of kept) {
    expect(await attemptsOf(partition, delivery.id)).toHaveLength(1);
    const { eventId } = await getDelivery(reader(system(partition)), id, delivery.id);
    expect(await getPayload(reader(system(partition)), eventId)).toContain(eventId);
  }

  await db().delivery.updateMany({
    where: partition,
    data: { status: "DELIVERED", nextAttemptAt: null, requestedAt: null },
  });
  clock.advance((31 * dayMs) / 1_000);
  await purgeAll();
  expect(await left(partition)).toEqual([0, 0, 0, 0]);
});

test("a week with more than 1,000 held deliveries is dropped once they have been given up for a week", async () => {
  const { partition, id } = await newWebhook(url);
  await raiseBacklog(partition, id, 1_001, clock.now());
  const heldAt = new Date(monday.getTime() + 10 * dayMs);
  await db().delivery.updateMany({
    where: partition,
    data: { status: "HELD", nextAttemptAt: null, updatedAt: heldAt },
  });

  toEndOfRetention();
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({ HELD: 1_001 });
  expect(await oldestExpired()).toMatchObject({ seconds: 0 });
  clock.advanceTo(new Date(heldAt.getTime() + retentionMs));
  await purgeAll();
  expect(await countByStatus(partition, id)).toEqual({ DISCARDED: 1_001 });
  clock.advance((7 * dayMs) / 1_000);
  await purgeAll();
  expect(await partitionsOfWeek()).toEqual([]);
  expect(await left(partition)).toEqual([0, 0, 0, 0]);
});

test("a cursor is valid for at least 30 days after its week was dropped, and continues with the first item that is left", async () => {
  const { partition, id } = await newWebhook(url);
  const dropped = await addDelivery(partition, { status: "DELIVERED" });
  const cursor = (await eventsOf(partition))[0] ?? "";
  // So close to the end of the week that later events may have been committed before it.
  clock.advanceTo(new Date(monday.getTime() + weekMs - 1_000));
  await raiseInWeek(partition);
  const [last] = await eventsOf(partition);
  clock.advance(dayMs / 1_000);
  await createPartitions();
  const next = await addDelivery(partition, { status: "DELIVERED" });
  const [first] = await eventsOf(partition);
  // Transactions in other databases hold it back.
  const isShown = async () => (await eventsOf(partition, { order: "asc" })).at(-1) === first;
  await vi.waitUntil(isShown, { timeout: 60_000 });
  await db().delivery.updateMany({
    where: partition,
    data: { status: "DELIVERED", nextAttemptAt: null },
  });

  toEndOfRetention();
  await purgeAll();
  for (const after of [cursor, last ?? ""]) {
    expect(await eventsOf(partition, { order: "asc", cursor: after })).toEqual([first]);
    expect(await eventsOf(partition, { cursor: after })).toEqual([]);
  }
  const { rows } = await pool().query("SELECT id FROM purged_events WHERE tenant_id = $1", [
    partition.tenantId,
  ]);
  expect(rows).toEqual([{ id: last }]);
  const deliveriesAfter = async (order: "asc" | "desc") =>
    (
      await listDeliveries(
        reader(system(partition)),
        id,
        listDeliveriesQuery.parse({ order, cursor: dropped.id }),
      )
    ).data.map((delivery) => delivery.id);
  expect([await deliveriesAfter("asc"), await deliveriesAfter("desc")]).toEqual([[next.id], []]);

  clock.advanceTo(new Date(monday.getTime() + weekMs + 2 * retentionMs - 1));
  expect(await eventsOf(partition, { order: "asc", cursor })).toEqual([first]);
  expect(await deliveriesAfter("asc")).toEqual([next.id]);
  clock.advance((2 * dayMs) / 1_000);
  await expect(eventsOf(partition, { order: "asc", cursor })).rejects.toMatchObject({
    kind: "invalid-cursor",
  });
  await expect(deliveriesAfter("asc")).rejects.toMatchObject({ kind: "invalid-cursor" });
});

test("rows that were written before their week had partitions move there when it gets them", async () => {
  const { partition } = await newWebhook(url);
  const week = new Date(monday.getTime() + 3 * weekMs);
  clock.advanceTo(week);
  const delivery = await addDelivery(partition, { status: "DELIVERED" });
  await addRequestLog(partition);
  expect(await leftInDefault(partition)).toEqual([1, 1, 1, 1]);
  const [event] = await eventsOf(partition);

  expect(await createPartitions()).toBe(2);
  expect(await createPartitions()).toBe(0);
  expect(await partitionsOfWeek(week)).toEqual(partitioned);
  expect(await leftInDefault(partition)).toEqual([0, 0, 0, 0]);
  expect(await left(partition)).toEqual([1, 1, 1, 1]);
  expect(await eventsOf(partition)).toEqual([event]);
  expect(await attemptsOf(partition, delivery.id)).toHaveLength(1);
});

test("a week with more than 1,000 such rows gets no partitions, and later weeks still get theirs", async () => {
  const { partition, id } = await newWebhook(url);
  clock.advance((3 * weekMs) / 1_000);
  newId("event", clock.now());
  await raiseBacklog(partition, id, 1_001, clock.now());
  const data = { status: "DELIVERED", nextAttemptAt: null } as const;
  await db().delivery.updateMany({ where: partition, data });

  expect(await createPartitions()).toBe(1);
  expect(await createPartitions()).toBe(0);
  expect(await leftInDefault(partition)).toEqual([1_001, 0, 1_001, 0]);
  clock.advance(weekMs / 1_000);
  expect(await createPartitions()).toBe(1);
  clock.advance((retentionMs + dayMs) / 1_000);
  await db().event.updateMany({ where: partition, data: { expiresAt: clock.now() } });
  await purgeAll();
  expect(await left(partition)).toEqual([0, 0, 0, 0]);
});

test("a row that is written while its week is created goes there", async () => {
  const { partition } = await newWebhook(url);
  clock.advanceTo(new Date(monday.getTime() + 3 * weekMs));
  // Long enough to see that both wait.
  await pool().query("ALTER FUNCTION create_partitions SET lock_timeout = '60s'");
  const reader = await pool().connect();
  try {
    await reader.query("BEGIN");
    await reader.query("SELECT FROM request_logs_default");
    const waiting =
      "SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE NOT granted AND datname = current_database()";
    const areWaiting = (count: number) =>
      vi.waitUntil(async () => (await pool().query(waiting)).rowCount === count, {
        timeout: 60_000,
      });
    const created = createPartitions();
    await areWaiting(1);
    const written = addRequestLog(partition);
    await areWaiting(2);
    await reader.query("COMMIT");
    await Promise.all([created, written]);
  } finally {
    reader.release();
    await pool().query("ALTER FUNCTION create_partitions SET lock_timeout = '200ms'");
  }
  expect(await left(partition)).toEqual([0, 0, 0, 1]);
  expect(await leftInDefault(partition)).toEqual([0, 0, 0, 0]);
});

test("after five weeks without a worker, the rows of every week are there, and all are deleted in time", async () => {
  const { partition } = await newWebhook(url);
  for (let week = 3; week < 8; week++) {
    clock.advanceTo(new Date(monday.getTime() + week * weekMs + dayMs));
    await addDelivery(partition, { status: "DELIVERED" });
    await addRequestLog(partition);
  }
  expect(await leftInDefault(partition)).toEqual([5, 5, 5, 5]);

  // The current week and the next one: weeks that are over get no partitions any more.
  expect(await createPartitions()).toBe(2);
  expect(await leftInDefault(partition)).toEqual([4, 4, 4, 4]);
  expect(await left(partition)).toEqual([5, 5, 5, 5]);
  const expiresAt = new Date(clock.now().getTime() + retentionMs);
  await db().event.updateMany({ where: partition, data: { expiresAt } });
  clock.advanceTo(new Date(monday.getTime() + 8 * weekMs + retentionMs - 1));
  await purgeAll();
  expect(await left(partition)).toEqual([1, 1, 1, 1]);
  clock.advance(1);
  await purgeAll();
  expect(await left(partition)).toEqual([0, 0, 0, 0]);
});

test("deliveries that are resumed while their week is about to be dropped are not lost", async () => {
  const { partition, id } = await newWebhook(url);
  newId("event", clock.now());
  await raiseBacklog(partition, id, 1_500, clock.now());
  const data = { status: "FAILED", nextAttemptAt: null } as const;
  await db().delivery.updateMany({ where: partition, data });
  // Earlier weeks first.
  toEndOfRetention(1);
  await purgeAll();
  toEndOfRetention();
  // Long enough to see that the purge waits.
  await pool().query("ALTER FUNCTION drop_expired_partitions SET lock_timeout = '60s'");
  const user = await pool().connect();
  try {
    await user.query("BEGIN");
    await user.query(
      "UPDATE deliveries SET status = 'PENDING', next_attempt_at = $2 WHERE tenant_id = $1",
      [partition.tenantId, clock.now()],
    );
    const purged = purgeExpired(1_000);
    const waiting =
      "SELECT FROM pg_locks WHERE NOT granted AND relation = 'deliveries'::regclass AND mode = 'AccessExclusiveLock'";
    const isWaiting = async () => (await pool().query(waiting)).rowCount === 1;
    await vi.waitUntil(isWaiting, { timeout: 60_000 });
    await user.query("COMMIT");
    await purged;
  } finally {
    user.release();
    await pool().query("ALTER FUNCTION drop_expired_partitions SET lock_timeout = '200ms'");
  }
  expect(await partitionsOfWeek()).toContain("deliveries");
  expect(await countByStatus(partition, id)).toEqual({ PENDING: 1_500 });
});

/** As the worker, whose statements leave out the rows of an organization that is being moved. */
async function asWorker(work: (worker: pg.Client) => Promise<void>): Promise<void> {
  const worker = new pg.Client({
    connectionString: env().DATABASE_URL,
    application_name: "parlance worker",
  });
  await worker.connect();
  await work(worker).finally(() => worker.end());
}

async function dropExpired(worker: pg.Client): Promise<void> {
  const drop = "SELECT drop_expired_partitions($1) AS dropped";
  while ((await worker.query(drop, [clock.now()])).rows[0].dropped > 0);
}

test.each(["STOPPED", "INCOMING"] as const)(
  "what is unfinished when its week is dropped also stays while a move of its organization is %s",
  async (state) => {
    const { partition } = await newWebhook(url);
    // At the end of the week, so that the position in the feed is stored, too.
    clock.advanceTo(new Date(monday.getTime() + weekMs - 60_000));
    await addDelivery(partition, { status: "PENDING", nextAttemptAt: clock.now() });
    const { tenantId } = partition;
    toEndOfRetention();
    await asWorker(async (worker) => {
      await db().tenantMove.create({
        data: { tenantId, state: "COPYING", targetOrigin: "https://b.example.com" },
      });
      await createGuards(worker, tenantId);
      try {
        await changeState(
          worker,
          tenantId,
          state,
          state === "STOPPED" ? { stoppedForMs: weekMs } : {},
        );
        await dropExpired(worker);
      } finally {
        await dropGuards(worker, tenantId);
        await db().tenantMove.deleteMany({ where: { tenantId } });
      }
    });
    expect(await partitionsOfWeek()).toEqual([]);
    expect(await leftInDefault(partition)).toEqual([1, 1, 1, 0]);
    const positions = "SELECT FROM purged_events WHERE tenant_id = $1";
    expect((await pool().query(positions, [tenantId])).rowCount).toBe(1);
  },
);

test("the positions of a busy end of a week are stored in several transactions before it is dropped", async () => {
  const { partition } = await newWebhook(url);
  const end = new Date(monday.getTime() + weekMs);
  const events = 50_001;
  await pool().query(
    `INSERT INTO events (tenant_id, environment, id, type, payload, created_at, expires_at)
     SELECT $1, $2::"Environment", 'evt_' || ulid_time($3) || lpad(n::text, 16, '0'), 'conversation.created', '{}', $3, $3
     FROM generate_series(1, $4::int) AS n`,
    [partition.tenantId, partition.environment, new Date(end.getTime() - 60_000), events],
  );
  const stored = async () => {
    const positions = "SELECT count(*)::int AS count FROM purged_events WHERE tenant_id = $1";
    return (await pool().query(positions, [partition.tenantId])).rows[0].count;
  };
  toEndOfRetention();
  const drop = "SELECT drop_expired_partitions($1) AS done";
  while ((await stored()) === 0)
    expect((await pool().query(drop, [clock.now()])).rows[0].done).toBeGreaterThan(0);
  expect(await stored()).toBe(50_000);
  expect(await partitionsOfWeek()).toContain("events");
  await purgeAll();
  expect(await stored()).toBe(events);
  expect(await partitionsOfWeek()).toEqual([]);
});

test("a week is not dropped if something unfinished of it was not moved", async () => {
  const { partition } = await newWebhook(url);
  await addDelivery(partition, { status: "PENDING", nextAttemptAt: clock.now() });
  toEndOfRetention();
  await pool().query(`
    CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER leave_out BEFORE INSERT ON deliveries FOR EACH ROW
      WHEN (NEW.tenant_id = '${partition.tenantId}') EXECUTE FUNCTION leave_out()`);
  try {
    await asWorker(async (worker) => {
      await expect(dropExpired(worker)).rejects.toThrow(
        /^rows of deliveries_\d{8} are still needed and were not moved: 1$/,
      );
    });
    expect(await left(partition)).toEqual([1, 1, 1, 0]);
  } finally {
    await pool().query("DROP FUNCTION leave_out CASCADE");
  }
});

test("several workers create and drop each partition once", async () => {
  clock.advance((10 * weekMs) / 1_000);
  const created = await Promise.all(Array.from({ length: 8 }, createPartitions));
  const more = await createPartitions();
  expect(created.reduce((sum, weeks) => sum + weeks, more)).toBe(2);
  const { partition } = await newWebhook(url);
  await addDelivery(partition, { status: "DELIVERED" });
  clock.advance((weekMs + retentionMs) / 1_000);
  await Promise.all(Array.from({ length: 8 }, () => purgeExpired(1_000)));
  await purgeAll();
  expect(await left(partition)).toEqual([0, 0, 0, 0]);
});

test("a reader that holds a week for long delays neither a request nor the purge of other tables", async () => {
  const { partition } = await newWebhook(url);
  await addDelivery(partition, { status: "DELIVERED" });
  toEndOfRetention();
  await db().deletedItem.create({
    data: { ...partition, id: "cnv_1", deletedAt: new Date(monday) },
  });
  const holder = await pool().connect();
  await holder.query("BEGIN");
  await holder.query("SELECT count(*) FROM events");
  try {
    await purgeExpired(1_000);
    expect(await left(partition)).toEqual([1, 1, 1, 0]);
    expect(await db().deletedItem.count({ where: partition })).toBe(0);
    await raiseInWeek(partition);
    expect(await oldestExpired()).toMatchObject({ table: "events" });
  } finally {
    await holder.query("COMMIT");
    holder.release();
  }
  await purgeAll();
  expect((await left(partition))[2]).toBe(1);
});

test("the application's role creates and drops weeks, and can do nothing else to the tables", async () => {
  const application = new URL(env().DATABASE_URL);
  application.username = `app_${randomBytes(6).toString("hex")}`;
  application.password = randomBytes(12).toString("hex");
  await grantApplicationRole(env().DATABASE_URL, application.href, {
    password: application.password,
  });
  const client = new pg.Client({ connectionString: application.href });
  await client.connect();
  try {
    const at = new Date(monday.getTime() + 5 * weekMs);
    // Tables of the caller must not take the place of the real ones.
    await client.query("CREATE TEMP TABLE events (id text) PARTITION BY RANGE (id)");
    const { rows } = await client.query("SELECT create_partitions($1, $1)", [at]);
    expect(rows).toEqual([{ create_partitions: 1 }]);
    const week = at.toISOString().slice(0, 10).replaceAll("-", "");
    await client.query(`ANALYZE events_${week}`);
    for (const statement of [`DROP TABLE events_${week}`, `TRUNCATE events_${week}`])
      await expect(client.query(statement)).rejects.toMatchObject({ code: "42501" });
    const dropped = await client.query("SELECT drop_expired_partitions($1) > 0 AS done", [
      new Date(at.getTime() + weekMs + retentionMs),
    ]);
    expect(dropped.rows).toEqual([{ done: true }]);
  } finally {
    await client.end();
  }
});

test("no delivery outlives its event or webhook, and no attempt its delivery", async () => {
  const first = await newWebhook(url);
  const second = await newWebhook(url, first.partition);
  const { partition } = first;
  for (let count = 0; count < 3; count++) await addDelivery(partition, { status: "DELIVERED" });
  const deliveries = await db().delivery.findMany({ where: partition });
  for (const { id } of deliveries) {
    if ((await attemptsOf(partition, id)).length === 0) await addAttempt({ ...partition, id });
  }
  expect(await left(partition)).toEqual([6, 6, 3, 0]);

  const [one, two] = deliveries;
  await db().delivery.deleteMany({ where: { ...partition, id: one?.id ?? "" } });
  expect(await left(partition)).toEqual([5, 5, 3, 0]);
  const eventId = deliveries.find((delivery) => delivery.eventId !== one?.eventId)?.eventId ?? "";
  await db().event.deleteMany({ where: { ...partition, id: eventId } });
  expect(await left(partition)).toEqual([3, 3, 2, 0]);
  await pool().query("DELETE FROM webhooks WHERE id = $1", [second.id]);
  expect(await countByStatus(partition, second.id)).toEqual({});
  await pool().query("DELETE FROM webhooks WHERE id = $1", [first.id]);
  expect(await left(partition)).toEqual([0, 0, 2, 0]);
  expect(two).toBeDefined();
});

test("no connection has PostgreSQL choose partitions while a statement runs, which can crash it after a lock wait", async () => {
  const { rows } = await pool().query("SHOW enable_partition_pruning");
  expect(rows).toEqual([{ enable_partition_pruning: "off" }]);
  expect(await db().$queryRawUnsafe("SHOW enable_partition_pruning")).toEqual(rows);
});
