import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findKey } from "@/lib/api-keys/key-cache";
import { hashKey } from "@/lib/api-keys/key-format";
import { createApiKey } from "@/lib/api-keys/service";
import { getMessage, postMessage } from "@/lib/conversations/messages";
import { createConversationBody } from "@/lib/conversations/schema";
import { createConversation, getConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { createCustomer, getCustomer } from "@/lib/customers/service";
import { getEvent } from "@/lib/events/service";
import { mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { closeDatabase, db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { joinLookups } from "@/lib/platform/join-lookups";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { sqlState } from "@/lib/platform/sql-errors";
import { countWaiting, watch } from "../support/locks";
import { explainEverything, planAsForLargeTables, plansOf } from "../support/plans";
import { interceptQueries } from "../support/queries";
import { recordSpans } from "../support/recorded-spans";
import { newPartition } from "../support/webhooks";

// Lookups that start in the same turn of the event loop share a statement. What one statement
// returned has the same `xact`.

// The tests hold locks for as long as they need.
databaseWaits.lock = 120_000;
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
  await pool().query(`
    CREATE FUNCTION raise(state text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
      IF length(state) = 5 THEN RAISE EXCEPTION 'refused' USING ERRCODE = state; END IF;
      RETURN NULL;
    END $$`);
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

/** Starts lookups that wait for this lock, each in a statement of its own. */
async function startSlow(find: ReturnType<typeof newEcho>, lock: number, most: number) {
  await hold(lock);
  const slow = [];
  for (let count = 1; count <= most; count++) {
    slow.push(find(`slow ${count}`, lock));
    await isWaitedFor(count);
  }
  return slow;
}

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
  const slow = await startSlow(find, 1, 2);
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
  const slow = await startSlow(find, 2, 3);
  const state = watch(Promise.race(slow));
  expect(await find("quick")).toMatchObject({ id: "quick" });
  expect(state.hasSettled).toBe(false);
  await release(2);
  expect(await Promise.all(slow)).toHaveLength(3);
});

/** Looks up three ids with `find`. @returns their results, and how many statements they took */
async function findThree(find: (id: string) => Promise<Echo | undefined>, second: string) {
  let statements = 0;
  const results = await interceptQueries(
    (_name, send) => {
      statements++;
      return send();
    },
    () => Promise.allSettled(["a", second, "c"].map(find)),
  );
  const states = results.map((result) =>
    result.status === "fulfilled" ? result.value?.id : sqlState(result.reason),
  );
  return { states, statements };
}

test("a value that PostgreSQL refuses is an error of its own lookup only", async () => {
  expect(await findThree(newEcho(), "\0")).toEqual({ states: ["a", "22021", "c"], statements: 4 });
});

const newRefusing = () => {
  const find = joinLookups(
    lookupSql("refusing", { id: "text" }, (p) => `SELECT coalesce(raise(${p.id}), ${p.id}) AS id`),
  );
  return (id: string) => find<Echo>({ id });
};

test.each(["XX001", "P0001", "22012"])(
  "after %s, each lookup is tried alone, and one fails",
  async (state) => {
    expect(await findThree(newRefusing(), state)).toEqual({
      states: ["a", state, "c"],
      statements: 4,
    });
  },
);

test.each(["55P03", "57014", "53200", "58030"])(
  "after %s, no lookup is tried again",
  async (state) => {
    expect(await findThree(newRefusing(), state)).toEqual({
      states: [state, state, state],
      statements: 1,
    });
  },
);

test("if the connection ends, every lookup of the statement fails once, and the next one works", async () => {
  const find = newEcho();
  await hold(3);
  const lost = findThree((id) => find(id, 3), "b");
  await isWaitedFor(1);
  await other.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  expect(await lost).toEqual({ states: ["57P01", "57P01", "57P01"], statements: 1 });
  await release(3);
  expect(await find("d")).toMatchObject({ id: "d" });
});

/** A row of each kind that lookups share statements for, and the id that it is found by. */
async function newRows(partition: Partition) {
  const conversationId = await newConversation(partition);
  return mutate(system(partition), async (caller) => {
    const message = await postMessage(caller, conversationId, { text: "Hello" });
    const customer = await createCustomer(caller, { name: "Ada", metadata: {} });
    const event = await db().event.findFirstOrThrow({ where: { ...partition } });
    const { key, apiKey } = await createApiKey(caller, { name: "key", scopes: [], allowedIps: [] });
    return {
      conversationId,
      messageId: message.id,
      customerId: customer.id,
      eventId: event.id,
      hash: hashKey(key),
      keyId: apiKey.id,
    };
  });
}

test("an organization finds nothing of another one, or of its other environment, in a shared statement", async () => {
  const [one, two] = [await newPartition(), await newPartition()];
  const partitions: Partition[] = [one, { ...one, environment: "live" }, two];
  const rows = await Promise.all(partitions.map(newRows));
  const asked = partitions.flatMap((partition, owner) =>
    rows.map((row, index) => ({ caller: reader(system(partition)), row, isOwn: owner === index })),
  );
  type Asked = (typeof asked)[number];
  const kinds: [keyof Asked["row"], (asked: Asked) => Promise<{ id: string }>][] = [
    ["conversationId", ({ caller, row }) => getConversation(caller, row.conversationId)],
    ["messageId", ({ caller, row }) => getMessage(caller, row.conversationId, row.messageId)],
    ["customerId", ({ caller, row }) => getCustomer(caller, row.customerId)],
    ["eventId", ({ caller, row }) => getEvent(caller, row.eventId)],
  ];
  for (const [name, get] of kinds) {
    const results = await Promise.allSettled(asked.map(get));
    expect(
      results.map((result) => (result.status === "fulfilled" ? result.value.id : null)),
    ).toEqual(asked.map(({ row, isOwn }) => (isOwn ? row[name] : null)));
  }
  const keys = await Promise.all(rows.map(({ hash }) => findKey(hash)));
  expect(keys.map((key) => key && [key.id, key.tenantId, key.environment])).toEqual(
    partitions.map(({ tenantId, environment }, index) => [
      rows[index]?.keyId,
      tenantId,
      environment,
    ]),
  );
});

test("a message is found in its own conversation only, in a shared statement", async () => {
  const partition = await newPartition();
  const rows = [await newRows(partition), await newRows(partition)];
  const caller = reader(system(partition));
  const found = await Promise.allSettled(
    rows.flatMap(({ conversationId }) =>
      rows.map(({ messageId }) => getMessage(caller, conversationId, messageId)),
    ),
  );
  expect(found.map(({ status }) => status === "fulfilled")).toEqual([true, false, false, true]);
});

test("a lookup finds what was committed before it, however many others there are", async () => {
  const partition = await newPartition();
  const id = await newConversation(partition);
  const caller = reader(system(partition));
  let isDone = false;
  const others = Array.from({ length: 8 }, async () => {
    while (!isDone) await getConversation(caller, id);
  });
  try {
    for (let count = 0; count < 50; count++) {
      const subject = `subject ${count}`;
      await mutate(system(partition), (writer) => updateConversation(writer, id, { subject }));
      expect((await getConversation(caller, id)).subject).toBe(subject);
    }
  } finally {
    isDone = true;
    await Promise.allSettled(others);
  }
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
