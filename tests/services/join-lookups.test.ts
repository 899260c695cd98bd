import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConversationBody } from "@/lib/conversations/schema";
import {
  createConversation,
  getConversation,
  updateConversation,
} from "@/lib/conversations/service";
import { mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { closeDatabase, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { joinLookups } from "@/lib/platform/join-lookups";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { sqlState } from "@/lib/platform/sql-errors";
import { countWaiting, watch } from "../support/locks";
import { explainEverything, planAsForLargeTables, plansOf } from "../support/plans";
import { recordSpans } from "../support/recorded-spans";
import { newPartition } from "../support/webhooks";

// Lookups that start in the same turn of the event loop share a statement. What one statement
// returned has the same `xact`.

process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";

// On a busy machine, any statement can be slow. Only the tests that say so expect that of one.
beforeEach(() => {
  databaseWaits.slowStatement = 60_000;
});

/** Another process's connection. */
let other: pg.Client;

beforeAll(async () => {
  await explainEverything();
  await planAsForLargeTables(pool());
  await closeDatabase();
  await plansOf(async () => {});
  other = new pg.Client({ connectionString: env().DATABASE_URL });
  await other.connect();
});
afterAll(() => other.end());

type Echo = { id: string; xact: string };

/** Finds every id except `none`. One with a `lock` waits for it. */
const newEcho = () => {
  const find = joinLookups(
    lookupSql(
      "echo",
      { id: "text", lock: "int" },
      (p) => `
      SELECT ${p.id} AS id, pg_current_xact_id()::text AS xact, pg_advisory_xact_lock_shared(${p.lock})::text AS locked
      FROM (SELECT 1) AS one WHERE ${p.id} <> 'none'`,
    ),
  );
  return (id: string, lock = 0) => find<Echo>({ id, lock });
};

const hold = (lock: number) => other.query("SELECT pg_advisory_lock($1)", [lock]);
const release = (lock: number) => other.query("SELECT pg_advisory_unlock($1)", [lock]);
const isWaitedFor = async (count: number) => {
  while ((await countWaiting(other)) < count);
};
const statementsOf = (found: (Echo | undefined)[]) => new Set(found.map((row) => row?.xact));

const newConversation = (partition: Partition): Promise<string> =>
  mutate(system(partition), async (caller) => {
    const body = createConversationBody.parse({ channelId: "web" });
    return (await createConversation(caller, body)).id;
  });

test("lookups of one turn share a statement, and each gets its own row", async () => {
  const find = newEcho();
  const ids = ["a", "b", "none", "a", "c", '"', "{NULL}", "NULL", "\\x", "é"];
  const found = await Promise.all(ids.map((id) => find(id)));
  expect(found.map((row) => row?.id ?? "none")).toEqual(ids);
  expect(statementsOf(found.filter(Boolean)).size).toBe(1);
  expect(found[0]).toEqual({ id: "a", xact: found[0]?.xact, locked: "" });
});

test("a lookup alone has the statement of one, with the same row", async () => {
  const find = newEcho();
  const alone = await find("a");
  const [together] = await Promise.all([find("a"), find("b")]);
  expect(together).toEqual({ ...alone, xact: together?.xact });
  expect(Object.keys(together ?? {})).toEqual(Object.keys(alone ?? {}));
  expect(await find("none")).toBeUndefined();
});

test("more lookups than a statement takes have several", async () => {
  const find = newEcho();
  const ids = Array.from({ length: 300 }, (_, index) => `id ${index}`);
  const found = await Promise.all(ids.map((id) => find(id)));
  expect(found.map((row) => row?.id)).toEqual(ids);
  expect(statementsOf(found).size).toBe(3);
});

test("two statements are in progress at most, and what arrives meanwhile shares the next one", async () => {
  const find = newEcho();
  await hold(1);
  const slow = [];
  for (let count = 1; count <= 2; count++) {
    slow.push(find(`slow ${count}`, 1));
    await isWaitedFor(count);
  }
  const later = [];
  for (let turn = 0; turn < 10; turn++) {
    later.push(find(`later ${turn}`));
    await nextTurn();
  }
  const state = watch(Promise.race(later));
  await pool().query("SELECT 1");
  expect(state.hasSettled).toBe(false);
  await release(1);
  expect(statementsOf(await Promise.all(slow)).size).toBe(2);
  expect(statementsOf(await Promise.all(later)).size).toBe(1);
});

test("a slow statement holds up only the lookups that share it", async () => {
  databaseWaits.slowStatement = 100;
  const find = newEcho();
  await hold(2);
  const slow = [];
  for (let count = 1; count <= 3; count++) {
    slow.push(find(`slow ${count}`, 2));
    await isWaitedFor(count);
  }
  const state = watch(Promise.race(slow));
  expect(await find("quick")).toMatchObject({ id: "quick" });
  expect(state.hasSettled).toBe(false);
  await release(2);
  expect(await Promise.all(slow)).toHaveLength(3);
});

test("a value that PostgreSQL refuses is an error of its own lookup only", async () => {
  const find = newEcho();
  const results = await Promise.allSettled([find("a"), find("\0"), find("c")]);
  expect(results).toMatchObject([
    { status: "fulfilled", value: { id: "a" } },
    { status: "rejected" },
    { status: "fulfilled", value: { id: "c" } },
  ]);
  expect(sqlState((results[1] as PromiseRejectedResult).reason)).toBe("22021");
});

test("if the connection ends, every lookup of the statement fails, and the next one works", async () => {
  const find = newEcho();
  await hold(3);
  const lost = Promise.allSettled([find("a", 3), find("b", 3)]);
  await isWaitedFor(1);
  await other.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  expect((await lost).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await release(3);
  expect(await find("c")).toMatchObject({ id: "c" });
});

test("an organization finds nothing of another one, or of its other environment, in a shared statement", async () => {
  const [one, two] = [await newPartition(), await newPartition()];
  const partitions: Partition[] = [one, { ...one, environment: "live" }, two];
  const ids = await Promise.all(partitions.map(newConversation));
  const asked = partitions.flatMap((partition, owner) =>
    ids.map((id, index) => ({ partition, id, isOwn: owner === index })),
  );
  const results = await Promise.allSettled(
    asked.map(({ partition, id }) => getConversation(reader(system(partition)), id)),
  );
  expect(results.map(({ status }) => status === "fulfilled")).toEqual(
    asked.map(({ isOwn }) => isOwn),
  );
  for (const [index, result] of results.entries())
    if (result.status === "fulfilled") expect(result.value.id).toBe(asked[index]?.id);
});

test("a lookup finds what was committed before it, however many others there are", async () => {
  const partition = await newPartition();
  const id = await newConversation(partition);
  const caller = reader(system(partition));
  let isDone = false;
  const others = Array.from({ length: 8 }, async () => {
    while (!isDone) await getConversation(caller, id);
  });
  for (let count = 0; count < 50; count++) {
    const subject = `subject ${count}`;
    await mutate(system(partition), (writer) => updateConversation(writer, id, { subject }));
    expect((await getConversation(caller, id)).subject).toBe(subject);
  }
  isDone = true;
  await Promise.all(others);
});

test("a shared statement reads only the rows that it returns", async () => {
  const partition = await newPartition();
  const ids: string[] = [];
  for (let count = 0; count < 40; count++) ids.push(await newConversation(partition));
  await pool().query("ANALYZE conversations");
  const caller = reader(system(partition));
  const plans = await plansOf(() =>
    Promise.all(ids.slice(0, 10).map((id) => getConversation(caller, id))),
  );
  expect(plans.map(({ rowsRead }) => rowsRead)).toEqual([10]);
});

test("the trace of each request has the statement that it shared", async () => {
  const find = newEcho();
  const spans = await recordSpans(async (within) => {
    const requests = ["first", "second", undefined];
    await Promise.all(requests.map((request) => within(request, () => find("a"))));
    await within("third", () => find("a"));
    await within("fourth", () => find("\0")).catch(() => {});
  });
  expect(spans).toEqual([
    { name: "echo", parent: "first", size: 3 },
    { name: "echo", parent: "second", size: 3 },
    { name: "echo", parent: "third", size: undefined },
    { name: "echo", parent: "fourth", size: undefined, failure: "22021" },
  ]);
});
