import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { findStoredResponse, insertRecord } from "@/lib/api/idempotency";
import { postMessage, postMessageInOneStatement } from "@/lib/conversations/messages";
import { createConversationBody } from "@/lib/conversations/schema";
import { createConversation, createConversationInOneStatement } from "@/lib/conversations/service";
import type { IdempotencyRecord } from "@/lib/events/idempotency-record";
import { type Caller, mutate, type Partition, system } from "@/lib/platform/caller";
import { changeSql } from "@/lib/platform/change-sql";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool, poolState } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { joinChanges } from "@/lib/platform/join-changes";
import { sqlState } from "@/lib/platform/sql-errors";
import { destroyConnection } from "@/lib/platform/watch-connection";
import { updateWebhook } from "@/lib/webhooks/service";
import { countWaiting, watch } from "../support/locks";
import { planAsForLargeTables } from "../support/plans";
import { interceptQueries } from "../support/queries";
import { recordSpans } from "../support/recorded-spans";
import { newPartition, newWebhook } from "../support/webhooks";

// Changes that start in the same turn of the event loop share a statement. Rows that were written
// by one statement have the same `xact`.

// A statement that waits for a lock must not go on without it, so that the tests find it waiting.
databaseWaits.lock = 120_000;
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";

// On a busy machine, any statement can be slow. Only the tests that call this expect that of one.
beforeEach(() => {
  databaseWaits.slowStatement = 60_000;
});
const noticeSlowStatements = () => {
  databaseWaits.slowStatement = 100;
};

/** What the tests do with a message, by its text. */
const hostileMessages = `
  CREATE FUNCTION be_hostile() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.text LIKE 'hold %' THEN
      PERFORM set_config('lock_timeout', '0', true);
      PERFORM pg_advisory_xact_lock_shared(split_part(NEW.text, ' ', 2)::int);
    ELSIF NEW.text LIKE 'refuse %' THEN
      RAISE EXCEPTION 'refused' USING ERRCODE = split_part(NEW.text, ' ', 2);
    ELSIF NEW.text = 'terminate' THEN
      PERFORM pg_terminate_backend(pg_backend_pid());
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER be_hostile BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION be_hostile();
  CREATE FUNCTION hold_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('lock_timeout', '0', true);
    PERFORM pg_advisory_xact_lock_shared(hashtext(NEW.conversation_id));
    RETURN NEW;
  END $$;
  CREATE TRIGGER hold_delivery BEFORE INSERT ON deliveries FOR EACH ROW
    WHEN (NEW.conversation_id IS NOT NULL) EXECUTE FUNCTION hold_delivery()`;

const used = new Set<pg.PoolClient>();
const others: pg.Client[] = [];

/** Another process's connection. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  others.push(client);
  return client;
}

beforeAll(async () => {
  const client = await connect();
  await client.query(hostileMessages);
  await planAsForLargeTables(client);
  pool().on("acquire", (connection) => used.add(connection));
});
afterAll(() => Promise.all(others.map((client) => client.end())));

async function newConversations(partition: Partition, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const body = createConversationBody.parse({ channelId: "web" });
    const { id } = await mutate(system(partition), (caller) => createConversation(caller, body));
    ids.push(id);
  }
  return ids;
}

async function post(
  partition: Partition,
  conversationId: string,
  text: string,
  record: IdempotencyRecord | null = null,
) {
  const body = await postMessageInOneStatement(
    system(partition),
    conversationId,
    { text },
    record,
    JSON.stringify,
  );
  return body === null
    ? null
    : (JSON.parse(body) as { id: string; conversationId: string; sequence: number; text: string });
}

const create = async (partition: Partition, record: IdempotencyRecord | null, channelId = "web") =>
  createConversationInOneStatement(
    system(partition),
    createConversationBody.parse({ channelId, message: "Hello" }),
    record,
    JSON.stringify,
  );

/** Ten, each with a key of its own. */
const createOthers = (partition: Partition) =>
  Promise.all(
    Array.from({ length: 10 }, (_, index) => create(partition, recordOf(`other ${index}`))),
  );

const recordOf = (key: string, fingerprint = key): IdempotencyRecord => ({
  key,
  fingerprint: Buffer.from(fingerprint.padEnd(32, "\0").slice(0, 32)),
  status: 201,
  expiresAt: new Date(Date.now() + 3_600_000),
});

type Written = { conversation: string; text: string; sequence: number; xact: string };

/** All messages, in the order of their conversation and sequence. */
async function messagesOf({ tenantId }: Partition): Promise<Written[]> {
  const { rows } = await pool().query<Written>(
    `SELECT conversation_id AS conversation, text, sequence, xact::text FROM messages
     WHERE tenant_id = $1 ORDER BY conversation_id, sequence`,
    [tenantId],
  );
  return rows;
}

const transactionsOf = (rows: Written[]) => new Set(rows.map(({ xact }) => xact)).size;

/** Resolves once this many statements wait for a lock. */
async function waitsForLock(client: pg.Client, count = 1): Promise<void> {
  while ((await countWaiting(client)) < count);
}

/** A transaction of another process that has done this work and is still open. */
async function openTransaction(partition: Partition, work: (caller: Caller) => Promise<unknown>) {
  let end: (isCommit: boolean) => void = () => {};
  const ending = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = mutate(system(partition), async (caller) => {
      await work(caller);
      resolve();
      if (!(await ending)) throw new Error("rolled back");
    });
    ended.catch(reject);
  });
  return async (how: "COMMIT" | "ROLLBACK") => {
    end(how === "COMMIT");
    if (how === "COMMIT") await ended;
    else await expect(ended).rejects.toThrow("rolled back");
  };
}

/** Another process's transaction, which has locked these conversations. */
async function lockConversations(ids: string[]): Promise<pg.Client> {
  const client = await connect();
  await client.query("BEGIN");
  await client.query("SELECT 1 FROM conversations WHERE id = ANY ($1) FOR NO KEY UPDATE", [ids]);
  return client;
}

/** The sequences of the messages that were sent to a webhook, in this order. */
async function sequencesOf(webhookId: string, conversationId: string, order: string) {
  const { rows } = await pool().query<{ sequence: number }>(
    `SELECT (e.payload::json -> 'data' -> 'object' ->> 'sequence')::int AS sequence
     FROM deliveries d JOIN events e ON e.tenant_id = d.tenant_id AND e.environment = d.environment AND e.id = d.event_id
     WHERE d.webhook_id = $1 AND d.conversation_id = $2 ORDER BY ${order}`,
    [webhookId, conversationId],
  );
  return rows.map(({ sequence }) => sequence);
}
const orders = ["d.position, d.event_id", "e.xact, e.id"];

const hold = (client: pg.Client, lock: number) =>
  client.query("SELECT pg_advisory_lock($1)", [lock]);
const release = (client: pg.Client, lock: number) =>
  client.query("SELECT pg_advisory_unlock($1)", [lock]);

test("each change gets its own row: 80 messages of two tenants in few statements", async () => {
  const tenants = [await newPartition(), await newPartition("live")];
  const all = [];
  for (const partition of tenants)
    for (const id of await newConversations(partition, 40)) all.push({ partition, id });
  const replies = await Promise.all(
    all.map(({ partition, id }, index) => post(partition, id, `for ${index}`)),
  );
  for (const [index, { id }] of all.entries())
    expect(replies[index]).toMatchObject({
      conversationId: id,
      text: `for ${index}`,
      sequence: 1,
    });
  const rows = (await Promise.all(tenants.map(messagesOf))).flat();
  expect(Object.fromEntries(rows.map(({ conversation, text }) => [conversation, text]))).toEqual(
    Object.fromEntries(all.map(({ id }, index) => [id, `for ${index}`])),
  );
  // At most 32 share one.
  expect(transactionsOf(rows)).toBe(3);
});

test("the next statement is sent before the changes of the last one respond", async () => {
  const partition = await newPartition();
  const [a = "", b = "", c = "", d = ""] = await newConversations(partition, 4);
  const other = await connect();
  await hold(other, 8);
  const inUseAtResponse = [
    post(partition, a, "hold 8"),
    post(partition, b, ""),
    post(partition, c, ""),
  ].map((message) => message.then(() => poolState().inUse));
  await waitsForLock(other);
  const next = post(partition, d, "");
  await release(other, 8);
  expect(await Promise.all(inUseAtResponse)).toEqual([1, 1, 1]);
  expect(await next).toMatchObject({ sequence: 1 });
  expect(transactionsOf(await messagesOf(partition))).toBe(2);
});

test("concurrent messages to one conversation have sequences without gaps", async () => {
  const partition = await newPartition();
  const [one = "", other = ""] = await newConversations(partition, 2);
  const texts = Array.from({ length: 12 }, (_, index) => `${index}`);
  await Promise.all(
    texts.flatMap((text) => [post(partition, one, text), post(partition, other, text)]),
  );
  const rows = await messagesOf(partition);
  for (const id of [one, other]) {
    const own = rows.filter(({ conversation }) => conversation === id);
    expect(own.map(({ sequence }) => sequence)).toEqual(texts.map((_, index) => index + 1));
    expect(new Set(own.map(({ text }) => text))).toEqual(new Set(texts));
  }
  expect(transactionsOf(rows)).toBeLessThan(rows.length);
});

test("messages of one conversation share statements: sequences, times, events and deliveries follow their order", async () => {
  const { partition, id: webhookId } = await newWebhook("http://127.0.0.1:9/", undefined, {
    events: ["message.*"],
    ordering: "conversation",
  });
  const [id = ""] = await newConversations(partition, 1);
  const startMs = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  const replies = Array.from({ length: 40 }, (_, index) => {
    vi.setSystemTime(startMs + index);
    return postMessageInOneStatement(
      system(partition),
      id,
      { text: `${index}`, direction: index === 39 ? "INTERNAL" : "INBOUND" },
      index % 3 === 0 ? recordOf(`${index}`) : null,
      JSON.stringify,
    );
  });
  vi.useRealTimers();
  const posted = (await Promise.all(replies)).map((reply) => JSON.parse(reply ?? ""));
  expect(posted.map(({ text, sequence }) => [text, sequence])).toEqual(
    posted.map((_, index) => [`${index}`, index + 1]),
  );
  // At most 16 of a conversation share one.
  expect(transactionsOf(await messagesOf(partition))).toBe(3);
  const times = posted.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.map((_, index) => new Date(startMs + index).toISOString()));
  const [stored] = await db().conversation.findMany({ where: { ...partition, id } });
  // Notes do not count as the last message.
  expect(stored).toMatchObject({ messageCount: 40, lastMessagePreview: "38" });
  expect(stored?.lastMessageAt?.toISOString()).toBe(times[38]);
  expect(stored?.updatedAt.toISOString()).toBe(times[39]);

  for (const order of orders)
    expect(await sequencesOf(webhookId, id, order)).toEqual(
      Array.from({ length: 39 }, (_, index) => index + 1),
    );
});

test("a message that is refused leaves no gap between the others of its conversation", async () => {
  const partition = await newPartition();
  const [id = "", other = ""] = await newConversations(partition, 2);
  const texts = ["a", "b", "refuse P0001", "d", "e"];
  const results = await Promise.allSettled([
    ...texts.map((text) => post(partition, id, text, recordOf(text))),
    post(partition, other, "elsewhere"),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    ...texts.map((_, index) => (index === 2 ? "rejected" : "fulfilled")),
    "fulfilled",
  ]);
  const rows = (await messagesOf(partition)).filter(({ conversation }) => conversation === id);
  expect(rows.map(({ text, sequence }) => [text, sequence])).toEqual([
    ["a", 1],
    ["b", 2],
    ["d", 3],
    ["e", 4],
  ]);
});

test("messages of a statement that was slow and then refused are posted again", async () => {
  noticeSlowStatements();
  const partition = await newPartition();
  const [id = ""] = await newConversations(partition, 1);
  const other = await connect();
  await hold(other, 7);
  const results = Promise.allSettled(
    ["hold 7", "refuse 23503", "c", "d"].map((text) => post(partition, id, text)),
  );
  await waitsForLock(other);
  // Long enough for the statement to count as slow, so that its lane is free again.
  await sleep(210);
  await release(other, 7);
  expect((await results).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  const rows = await messagesOf(partition);
  expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(["hold 7", "c", "d"]));
});

test("a key that is taken leaves no gap between the other messages of its conversation", async () => {
  const partition = await newPartition();
  const [id = ""] = await newConversations(partition, 1);
  await insertRecord({ db: db() }, partition, recordOf("taken"), "first", new Date());
  const replies = await Promise.all(
    ["a", "taken", "c"].map((key) => post(partition, id, key, recordOf(key))),
  );
  expect(replies.map((reply) => reply?.sequence)).toEqual([1, undefined, 2]);
  expect(transactionsOf(await messagesOf(partition))).toBe(1);
});

test.each(["COMMIT", "ROLLBACK"] as const)(
  "a key that another transaction is using does not hold up the other messages of its statement, until its %s",
  async (end) => {
    const partition = await newPartition();
    const [id = ""] = await newConversations(partition, 1);
    const finish = await openTransaction(partition, (caller) =>
      insertRecord(caller, partition, recordOf("b"), "", new Date()),
    );
    const [a, b, c] = ["a", "b", "c"].map((key) => post(partition, id, key, recordOf(key)));
    expect([await a, await c]).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
    expect(transactionsOf(await messagesOf(partition))).toBe(1);
    await waitsForLock(await connect());
    await finish(end);
    expect((await b)?.sequence).toBe(end === "COMMIT" ? undefined : 3);
  },
);

test("a record that was written after the statement began leaves no gap", async () => {
  const partition = await newPartition();
  const [id = ""] = await newConversations(partition, 1);
  const other = await connect();
  await other.query("BEGIN");
  // Without the lock on the key, the statement waits for this record itself.
  await other.query(
    `INSERT INTO idempotency_records (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
     VALUES ($1, $2, 'b', '', 201, '', now(), now() + interval '1 hour')`,
    [partition.tenantId, partition.environment],
  );
  const replies = ["a", "b", "c"].map((key) => post(partition, id, key, recordOf(key)));
  await waitsForLock(other);
  await other.query("COMMIT");
  const sequences = (await Promise.all(replies)).map((reply) => reply?.sequence);
  expect(sequences).toEqual([1, undefined, 2]);
  const [stored] = await db().conversation.findMany({ where: { ...partition, id } });
  expect(stored?.messageCount).toBe(2);
});

test("a locked conversation holds up only its own message", async () => {
  const partition = await newPartition();
  const [locked = "", ...free] = await newConversations(partition, 21);
  const other = await lockConversations([locked]);
  const waiting = post(partition, locked, "waits");
  const state = watch(waiting);
  await Promise.all(free.map((id) => post(partition, id, "does not wait")));
  expect(state.hasSettled).toBe(false);
  const rows = await messagesOf(partition);
  expect(rows).toHaveLength(20);
  // They were not made one by one after the statement had waited.
  expect(transactionsOf(rows)).toBe(1);

  await waitsForLock(other);
  await other.query("UPDATE conversations SET message_count = 7 WHERE id = $1", [locked]);
  await other.query("COMMIT");
  expect(await waiting).toMatchObject({ conversationId: locked, sequence: 8 });
  const stored = await db().conversation.findMany({ where: { ...partition, id: locked } });
  expect(stored).toMatchObject([{ messageCount: 8, lastMessagePreview: "waits" }]);
});

test("of the messages to a locked conversation, one waits in the database, and all are posted in order", async () => {
  const partition = await newPartition();
  const [locked = "", ...free] = await newConversations(partition, 3);
  const other = await lockConversations([locked]);
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
  const replies = [];
  for (const text of texts) {
    replies.push(post(partition, locked, text));
    // They share statements with others, which do not wait.
    await Promise.all(free.map((id) => post(partition, id, "Hi")));
  }
  await waitsForLock(other);
  expect(await countWaiting(other)).toBe(1);
  await other.query("COMMIT");
  expect((await Promise.all(replies)).map((reply) => [reply?.text, reply?.sequence])).toEqual(
    texts.map((text, index) => [text, index + 1]),
  );
});

test("of the messages to a locked conversation that arrive together, one waits in the database, too", async () => {
  const partition = await newPartition();
  const [locked = "", free = ""] = await newConversations(partition, 2);
  const other = await lockConversations([locked]);
  const replies = Array.from({ length: 20 }, (_, index) => post(partition, locked, `${index}`));
  await waitsForLock(other);
  for (let count = 0; count < 10; count++) await post(partition, free, "Hi");
  expect(await countWaiting(other)).toBe(1);
  await other.query("COMMIT");
  expect((await Promise.all(replies)).map((reply) => [reply?.text, reply?.sequence])).toEqual(
    replies.map((_, index) => [`${index}`, index + 1]),
  );
});

test("changes that wait for locks leave most connections to the others", async () => {
  const partition = await newPartition();
  const connections = pool().options.max;
  const [free = "", ...locked] = await newConversations(partition, 2 * connections);
  const other = await lockConversations(locked);
  const waiting = locked.map((id) => post(partition, id, "waits"));
  for (let index = 1; index <= 10; index++)
    expect(await post(partition, free, "Hi")).toMatchObject({ sequence: index });
  const most = Math.floor(connections / 3);
  await waitsForLock(other, most);
  expect(await countWaiting(other)).toBe(most);
  await other.query("COMMIT");
  expect((await Promise.all(waiting)).map((reply) => reply?.sequence)).toEqual(locked.map(() => 1));
});

test("changes that arrive one by one and wait for locks leave most connections to the others, too", async () => {
  noticeSlowStatements();
  const partition = await newPartition();
  const most = Math.floor(pool().options.max / 3);
  const [free = "", ...locked] = await newConversations(partition, most + 5);
  const other = await lockConversations(locked);
  const waiting = [];
  for (const [index, id] of locked.entries()) {
    waiting.push(post(partition, id, "waits"));
    await waitsForLock(other, Math.min(index + 1, most));
    // Long enough for its statement to count as slow, so that the next change starts at once.
    await sleep(210);
  }
  expect(await post(partition, free, "Hi")).toMatchObject({ sequence: 1 });
  expect(await countWaiting(other)).toBe(most);
  await other.query("COMMIT");
  expect((await Promise.all(waiting)).map((reply) => reply?.sequence)).toEqual(locked.map(() => 1));
});

/** Messages of a new tenant wait for locks in all connections that may. */
async function waitInAllThatMay() {
  const partition = await newPartition();
  const most = Math.floor(pool().options.max / 3);
  const locked = await newConversations(partition, most);
  const other = await lockConversations(locked);
  const waiting = locked.map((id) => post(partition, id, "waits"));
  await waitsForLock(other, most);
  return async () => {
    expect(await countWaiting(other)).toBe(most);
    await other.query("COMMIT");
    expect((await Promise.all(waiting)).map((reply) => reply?.sequence)).toEqual(
      locked.map(() => 1),
    );
  };
}

test("changes that need no lock do not wait for those that do, even if they cannot be made", async () => {
  const endWaiting = await waitInAllThatMay();
  const partition = await newPartition();
  const ids = await newConversations(partition, 5);
  const [resolved = "", closed = "", deleted = "", replayed = "", open = ""] = ids;
  for (const [id, status] of [
    [resolved, "RESOLVED"],
    [closed, "CLOSED"],
  ])
    await pool().query('UPDATE conversations SET status = $2::"ConversationStatus" WHERE id = $1', [
      id,
      status,
    ]);
  await pool().query("DELETE FROM conversations WHERE id = $1", [deleted]);
  await insertRecord({ db: db() }, partition, recordOf("taken"), "first", new Date());

  for (const id of [resolved, closed, deleted]) expect(await post(partition, id, "Hi")).toBeNull();
  expect(await post(partition, replayed, "Hi", recordOf("taken"))).toBeNull();
  expect(await create(partition, recordOf("taken"))).toBeNull();
  const replies = await Promise.all(ids.map((id) => post(partition, id, "Hi")));
  expect(replies.map((reply) => reply?.conversationId)).toEqual([
    ...[undefined, undefined, undefined],
    ...[replayed, open],
  ]);
  await endWaiting();
});

test("a change that shares a statement with one that is refused does not wait for those that wait for locks", async () => {
  const endWaiting = await waitInAllThatMay();
  const [partition, elsewhere] = [await newPartition(), await newPartition()];
  const [refused = ""] = await newConversations(partition, 1);
  const ids = await newConversations(elsewhere, 3);
  const state = watch(post(partition, refused, "refuse P0001"));
  const replies = await Promise.all(ids.map((id) => post(elsewhere, id, "Hi")));
  expect(replies.map((reply) => reply?.sequence)).toEqual([1, 1, 1]);
  expect(state.hasSettled).toBe(false);
  await endWaiting();
  await expect.poll(() => state.hasSettled).toBe(true);
});

test("503 for a change that waited for its turn as long as for a lock, and it is not made", async () => {
  const partition = await newPartition();
  const [locked = "", free = ""] = await newConversations(partition, 2);
  const other = await lockConversations([locked]);
  const first = post(partition, locked, "first");
  await waitsForLock(other);
  const second = post(partition, locked, "second");
  const state = watch(second);
  const longest = databaseWaits.lock;
  databaseWaits.lock = 300;
  // On a slow machine, some of these are late, too.
  while (!state.hasSettled) await post(partition, free, "Hi").catch(() => {});
  databaseWaits.lock = longest;
  await expect(second).rejects.toMatchObject({ kind: "unavailable" });
  await other.query("COMMIT");
  expect(await first).toMatchObject({ sequence: 1 });
  const texts = (await messagesOf(partition)).map(({ text }) => text);
  expect(texts).not.toContain("second");
});

test.each(["to another conversation", "to the same id, of another tenant"])(
  "a message %s does not wait for 100 that were posted before it",
  async (where) => {
    const [partition, elsewhere] = [await newPartition(), await newPartition()];
    const [busy = "", other = ""] = await newConversations(partition, 2);
    const isOther = where === "to another conversation";
    const sender = isOther ? partition : elsewhere;
    const states = Array.from({ length: 100 }, () => post(sender, busy, "many")).map(watch);
    const reply = await post(partition, isOther ? other : busy, "one");
    expect(reply).toMatchObject({ sequence: 1, text: "one" });
    expect(states.filter(({ hasSettled }) => hasSettled).length).toBeLessThan(100);
    await expect.poll(() => states.every(({ hasSettled }) => hasSettled)).toBe(true);
    const rows = await messagesOf(partition);
    expect(rows).toHaveLength(isOther ? 101 : 1);
  },
);

test("a conversation that was closed or deleted in between gets no message, and the others get theirs", async () => {
  const partition = await newPartition();
  const [closed = "", deleted = "", ...open] = await newConversations(partition, 5);
  await pool().query("UPDATE conversations SET status = 'CLOSED' WHERE id = $1", [closed]);
  await pool().query("DELETE FROM conversations WHERE id = $1", [deleted]);
  const replies = await Promise.all(
    [closed, deleted, ...open].map((id) => post(partition, id, "Hi")),
  );
  expect(replies.map((reply) => reply?.sequence)).toEqual([undefined, undefined, 1, 1, 1]);
  expect(transactionsOf(await messagesOf(partition))).toBe(1);
});

// 57P03 is what a tenant gets that is being moved, XX001 is a damaged page.
test.each(["23503", "23505", "22021", "21000", "55P03", "40P01", "57P03", "XX001", "P0001"])(
  "a change that PostgreSQL refuses with %s is the only one that fails",
  async (state) => {
    const partition = await newPartition();
    const ids = await newConversations(partition, 5);
    const texts = ["a", "b", `refuse ${state}`, "d", "e"];
    const results = await Promise.allSettled(
      ids.map((id, index) => post(partition, id, texts[index] ?? "", recordOf(`${index}`))),
    );
    expect(results.map(({ status }) => status)).toEqual(
      texts.map((_, index) => (index === 2 ? "rejected" : "fulfilled")),
    );
    expect(sqlState((results[2] as PromiseRejectedResult).reason)).toBe(state);
    const rows = await messagesOf(partition);
    expect(rows).toMatchObject(
      ids.flatMap((conversation, index) =>
        index === 2 ? [] : [{ conversation, text: texts[index], sequence: 1 }],
      ),
    );
    expect(await findStoredResponse(partition, recordOf("2"))).toBeNull();
    expect(await db().event.count({ where: { ...partition, type: "message.received" } })).toBe(4);
  },
);

test.each(["53100", "57014", "58030", "25006"])(
  "after %s, no change is made again: the server cannot",
  async (state) => {
    const partition = await newPartition();
    const ids = await newConversations(partition, 3);
    const results = await Promise.allSettled(
      ids.map((id, index) => post(partition, id, index === 1 ? `refuse ${state}` : "Hi")),
    );
    for (const result of results)
      expect(sqlState((result as PromiseRejectedResult).reason)).toBe(state);
    expect(await messagesOf(partition)).toEqual([]);
    expect(await post(partition, ids[0] ?? "", "Hi")).toMatchObject({ sequence: 1 });
  },
);

test("while PostgreSQL starts, the changes of a shared statement fail together", async () => {
  const partition = await newPartition();
  const ids = await newConversations(partition, 9);
  const starting = Object.assign(new Error("the database system is starting up"), {
    code: "57P03",
    severity: "FATAL",
  });
  let statements = 0;
  const results = await interceptQueries(
    async () => {
      statements++;
      throw starting;
    },
    () => Promise.allSettled(ids.map((id) => post(partition, id, "Hi"))),
  );
  for (const result of results) expect(result).toEqual({ status: "rejected", reason: starting });
  expect(statements).toBeLessThan(ids.length);
});

test("when PostgreSQL ends the connection, every change fails, and later ones are made", async () => {
  const partition = await newPartition();
  const ids = await newConversations(partition, 4);
  const results = await Promise.allSettled(
    ids.map((id, index) => post(partition, id, index === 2 ? "terminate" : "Hi")),
  );
  expect(results.map(({ status }) => status)).toEqual(ids.map(() => "rejected"));
  expect(await messagesOf(partition)).toEqual([]);
  const replies = await Promise.all(ids.map((id) => post(partition, id, "Hi")));
  expect(replies.map((reply) => reply?.sequence)).toEqual(ids.map(() => 1));
});

test("when a connection breaks, every change fails once, and none is made twice", async () => {
  const partition = await newPartition();
  const ids = await newConversations(partition, 4);
  const other = await connect();
  await hold(other, 1);
  const results = Promise.allSettled(
    ids.map((id, index) => post(partition, id, index === 2 ? "hold 1" : "Hi")),
  );
  await waitsForLock(other);
  for (const client of used) destroyConnection(client);
  for (const result of await results) {
    expect(result.status).toBe("rejected");
    expect(sqlState((result as PromiseRejectedResult).reason)).toBeUndefined();
  }
  await release(other, 1);
  // PostgreSQL does not know that the connection is broken, and commits.
  await expect.poll(async () => (await messagesOf(partition)).length).toBe(4);
  expect(transactionsOf(await messagesOf(partition))).toBe(1);
});

test("statements that hang do not hold up later ones", async () => {
  noticeSlowStatements();
  const partition = await newPartition();
  const ids = await newConversations(partition, 8);
  const other = await connect();
  await hold(other, 2);
  const hanging = [];
  for (const [index, pair] of [ids.slice(0, 2), ids.slice(2, 4)].entries()) {
    hanging.push(...pair.map((id) => post(partition, id, "hold 2")));
    await waitsForLock(other, index + 1);
  }
  const states = hanging.map(watch);
  const later = await Promise.all(ids.slice(4).map((id) => post(partition, id, "Hi")));
  // A lane of a statement that hangs is free again, too.
  const behind = post(partition, ids[0] ?? "", "behind");
  await waitsForLock(other, 3);
  expect(later.map((reply) => reply?.sequence)).toEqual([1, 1, 1, 1]);
  expect(transactionsOf(await messagesOf(partition))).toBe(1);
  expect(states.map(({ hasSettled }) => hasSettled)).toEqual([false, false, false, false]);
  await release(other, 2);
  expect((await Promise.all(hanging)).map((reply) => reply?.sequence)).toEqual([1, 1, 1, 1]);
  expect(await behind).toMatchObject({ sequence: 2, text: "behind" });
});

test("at most three statements of a kind hang, and other changes of it wait without a connection", async () => {
  noticeSlowStatements();
  const partition = await newPartition();
  const ids = await newConversations(partition, 8);
  const other = await connect();
  await hold(other, 5);
  const hanging = [];
  for (let pair = 0; pair < 4; pair++) {
    hanging.push(...ids.slice(2 * pair, 2 * pair + 2).map((id) => post(partition, id, "hold 5")));
    await waitsForLock(other, Math.min(pair + 1, 3));
  }
  // Changes of another kind are made.
  for (let count = 0; count < 3; count++) expect(await create(partition, null)).not.toBeNull();
  expect(await countWaiting(other)).toBe(3);
  await release(other, 5);
  expect((await Promise.all(hanging)).map((reply) => reply?.sequence)).toEqual(ids.map(() => 1));
});

test("keys that are taken, expired or used twice decide about their own change only", async () => {
  const partition = await newPartition();
  const ids = await newConversations(partition, 8);
  const expired = { ...recordOf("expired"), expiresAt: new Date(Date.now() - 60_000) };
  await insertRecord({ db: db() }, partition, expired, "old", new Date(Date.now() - 3_600_000));
  await insertRecord({ db: db() }, partition, recordOf("taken", "x"), "first", new Date());
  const keys = ["new", "expired", "taken", null, "other's", null];
  const elsewhere = await newPartition();
  await insertRecord({ db: db() }, elsewhere, recordOf("other's"), "", new Date());

  const replies = await Promise.all(
    keys.map((key, index) =>
      post(partition, ids[index] ?? "", `${key}`, key === null ? null : recordOf(key)),
    ),
  );
  expect(replies.map((reply) => reply?.text)).toEqual(
    keys.map((key) => (key === "taken" ? undefined : `${key}`)),
  );
  const rows = await messagesOf(partition);
  expect(rows).toHaveLength(5);
  expect(transactionsOf(rows)).toBe(1);
  for (const index of [0, 1, 4])
    expect(await findStoredResponse(partition, recordOf(keys[index] ?? ""))).toEqual({
      status: 201,
      body: JSON.stringify(replies[index]),
    });
  expect(await findStoredResponse(partition, recordOf("taken", "x"))).toMatchObject({
    body: "first",
  });

  const twice = await Promise.all(
    [6, 7, 5].map((index) =>
      post(
        partition,
        ids[index] ?? "",
        `${index}`,
        index === 5 ? null : recordOf("twice", `${index}`),
      ),
    ),
  );
  expect(twice.slice(0, 2).filter((reply) => reply !== null)).toHaveLength(1);
  expect(twice[2]).toMatchObject({ text: "5", sequence: 2 });
  expect(await messagesOf(partition)).toHaveLength(7);
});

test.each(["COMMIT", "ROLLBACK"] as const)(
  "a key that another transaction is using holds up only its own change, until its %s",
  async (end) => {
    const partition = await newPartition();
    const other = await connect();
    const finish = await openTransaction(partition, (caller) =>
      insertRecord(caller, partition, recordOf("k"), "by the first", new Date()),
    );
    const waiting = create(partition, recordOf("k"), "waits");
    const state = watch(waiting);
    const replies = await createOthers(partition);
    expect(replies).not.toContain(null);
    expect(state.hasSettled).toBe(false);
    expect(transactionsOf(await messagesOf(partition))).toBe(1);
    await waitsForLock(other);
    await finish(end);
    const body = await waiting;
    expect(await findStoredResponse(partition, recordOf("k"))).toEqual({
      status: 201,
      body: end === "COMMIT" ? "by the first" : body,
    });
    expect(body === null).toBe(end === "COMMIT");
    expect(await db().conversation.count({ where: { ...partition, channelId: "waits" } })).toBe(
      end === "COMMIT" ? 0 : 1,
    );
  },
);

test("a key whose first writer was rolled back holds up only its own change while the next one writes", async () => {
  const partition = await newPartition();
  const other = await connect();
  const insert = () =>
    openTransaction(partition, (caller) =>
      insertRecord(caller, partition, recordOf("k"), "", new Date()),
    );
  const endFirst = await insert();
  const second = insert();
  await waitsForLock(other);
  await endFirst("ROLLBACK");
  const endSecond = await second;

  const waiting = create(partition, recordOf("k"), "waits");
  const state = watch(waiting);
  const replies = await createOthers(partition);
  expect(replies).not.toContain(null);
  expect(state.hasSettled).toBe(false);
  await endSecond("COMMIT");
  expect(await waiting).toBeNull();
});

test("a record that is locked without its key holds up only its own change", async () => {
  const partition = await newPartition();
  const expired = { ...recordOf("k"), expiresAt: new Date(Date.now() - 60_000) };
  await insertRecord({ db: db() }, partition, expired, "old", new Date(Date.now() - 3_600_000));
  const other = await connect();
  await other.query("BEGIN");
  await other.query(
    "SELECT FROM idempotency_records WHERE key = 'k' AND tenant_id = $1 FOR UPDATE",
    [partition.tenantId],
  );
  const waiting = create(partition, recordOf("k"), "waits");
  const state = watch(waiting);
  const replies = await createOthers(partition);
  expect(replies).not.toContain(null);
  expect(state.hasSettled).toBe(false);
  await other.query("COMMIT");
  expect(await waiting).not.toBeNull();
});

test("a webhook that is being enabled holds up only the changes of its tenant", async () => {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  const elsewhere = await newPartition();
  const [own = ""] = await newConversations(webhook.partition, 1);
  const ids = await newConversations(elsewhere, 5);
  const setStatus = (caller: Caller, status: "DISABLED" | "ENABLED") =>
    updateWebhook(caller, webhook.id, { status });
  await mutate(system(webhook.partition), (caller) => setStatus(caller, "DISABLED"));
  const finish = await openTransaction(webhook.partition, (caller) => setStatus(caller, "ENABLED"));

  const waiting = post(webhook.partition, own, "Hi");
  const state = watch(waiting);
  await Promise.all(ids.map((id) => post(elsewhere, id, "Hi")));
  expect(state.hasSettled).toBe(false);
  await waitsForLock(await connect());
  await finish("COMMIT");
  expect(await waiting).toMatchObject({ sequence: 1 });
  const [delivery] = await db().delivery.findMany({
    where: { ...webhook.partition, eventType: "message.received" },
  });
  expect(delivery?.status).toBe("PENDING");
});

test("events and deliveries follow the sequence if another process posts after a statement has locked its conversations", async () => {
  const { partition, id: webhookId } = await newWebhook("http://127.0.0.1:9/", undefined, {
    events: ["message.received"],
    ordering: "conversation",
  });
  const [one = "", other = ""] = await newConversations(partition, 2);
  const client = await connect();
  await client.query("SELECT pg_advisory_lock(hashtext($1))", [one]);
  const together = [post(partition, one, "a"), post(partition, other, "b")];
  await waitsForLock(client);
  const between = mutate(system(partition), (caller) => postMessage(caller, other, { text: "c" }));
  const state = watch(between);
  while (!state.hasSettled && (await countWaiting(client)) !== 2);
  await client.query("SELECT pg_advisory_unlock(hashtext($1))", [one]);
  await Promise.all([...together, between]);

  expect(transactionsOf(await messagesOf(partition))).toBe(2);
  for (const order of orders) expect(await sequencesOf(webhookId, other, order)).toEqual([1, 2]);
});

test("two processes make each of 160 changes once, in the same conversations and with the same keys", async () => {
  const partition = await newPartition();
  const ids = await newConversations(partition, 4);
  vi.resetModules();
  const second = await import("@/lib/conversations/messages");
  expect(second.postMessageInOneStatement).not.toBe(postMessageInOneStatement);
  const attempts = Array.from({ length: 160 }, (_, index) => {
    const conversationId = ids[index % 4] ?? "";
    const args = [{ text: `${index}` }, recordOf(`${index}`), JSON.stringify] as const;
    return [postMessageInOneStatement, second.postMessageInOneStatement].map((postOnce) =>
      postOnce(system(partition), conversationId, ...args),
    );
  });
  for (const pair of attempts)
    expect((await Promise.all(pair)).filter((body) => body !== null)).toHaveLength(1);
  const rows = await messagesOf(partition);
  expect(new Set(rows.map(({ text }) => text)).size).toBe(160);
  for (const id of ids)
    expect(
      rows.filter(({ conversation }) => conversation === id).map(({ sequence }) => sequence),
    ).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  const stored = await db().conversation.findMany({ where: partition });
  expect(stored.map(({ messageCount }) => messageCount)).toEqual([40, 40, 40, 40]);
  expect(transactionsOf(rows)).toBeLessThan(160);
});

const noteStatement = changeSql(
  "note_change",
  { id: "text", at: "timestamptz", size: "int" },
  ({ input }) => `
  WITH input AS MATERIALIZED (${input}),
  note AS (INSERT INTO notes_of_test (id, at, size) SELECT id, at, size FROM input RETURNING id)
  SELECT n, true AS "isMade" FROM input JOIN note USING (id)`,
);

const newNotes = () =>
  pool().query(`DROP TABLE IF EXISTS notes_of_test;
    CREATE TABLE notes_of_test (id text PRIMARY KEY, at timestamptz, size int CHECK (size < 100))`);

test("the changes of a refused statement share smaller ones", async () => {
  await newNotes();
  const write = joinChanges(noteStatement);
  const at = new Date();
  const results = await Promise.allSettled(
    Array.from({ length: 16 }, (_, index) =>
      write({ id: `${index}`, at, size: index === 9 ? 100 : 1 }),
    ),
  );
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect(sqlState((results[9] as PromiseRejectedResult).reason)).toBe("23514");
  const { rows } = await pool().query(
    "SELECT count(*)::int AS notes FROM notes_of_test GROUP BY xmin ORDER BY 1",
  );
  expect(rows.map(({ notes }) => notes)).toEqual([1, 2, 4, 8]);
});

test("a value that cannot be written is an error of its own change only", async () => {
  await newNotes();
  const write = joinChanges(noteStatement);
  const fail = () => {
    throw new Error("has no text");
  };
  const broken = { toString: fail, toPostgres: fail } as never;
  const at = new Date();
  const results = await Promise.allSettled([
    write({ id: "a", at, size: 1 }),
    write({ id: "b", at, size: broken }),
    write({ id: "c", at, size: 3 }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const { rows } = await pool().query("SELECT id FROM notes_of_test ORDER BY id");
  expect(rows).toEqual([{ id: "a" }, { id: "c" }]);
});

test("the trace of each request has the statement that it shared, and the one of its own", async () => {
  const partition = await newPartition();
  const ids = await newConversations(partition, 4);
  const texts = ["a", "refuse 23503", "c", "untraced"];
  const recorded = await recordSpans((within) =>
    Promise.allSettled(
      ids.map((id, index) =>
        within(index === 3 ? undefined : `request ${index}`, () =>
          post(partition, id, texts[index] ?? ""),
        ),
      ),
    ),
  );
  const of = (index: number) => recorded.filter(({ parent }) => parent === `request ${index}`);
  // A half may find its conversations still locked by the statement that was refused, and
  // leaves them out.
  for (const [index, failure] of [undefined, "23503"].entries()) {
    expect(of(index).map(({ name, size }) => [name, size])).toEqual(
      [4, 2, undefined].map((size) => ["post_message", size]),
    );
    expect(of(index)[0]?.failure).toBe("23503");
    expect(of(index)[2]?.failure).toBe(failure);
  }
  expect(of(2).slice(0, 2)).toMatchObject([{ size: 4, failure: "23503" }, { size: 2 }]);
  expect(of(2).at(-1)?.failure).toBeUndefined();
  expect(recorded.every(({ parent }) => parent?.startsWith("request "))).toBe(true);
});
