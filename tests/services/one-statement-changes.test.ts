import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgentBody } from "@/lib/agents/schema";
import { createAgent } from "@/lib/agents/service";
import { findStoredResponse } from "@/lib/api/idempotency";
import {
  type Conversation,
  type CreateConversation,
  createConversationBody,
  type UpdateConversation,
} from "@/lib/conversations/schema";
import {
  createConversation,
  createConversationInOneStatement,
  getConversation,
} from "@/lib/conversations/service";
import { updateConversationInOneStatement } from "@/lib/conversations/update";
import type { Customer } from "@/lib/customers/schema";
import { createCustomer, createCustomerInOneStatement, getCustomer } from "@/lib/customers/service";
import { updateCustomer, updateCustomerInOneStatement } from "@/lib/customers/update";
import type { IdempotencyRecord } from "@/lib/events/idempotency-record";
import { mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { countWaiting, watch } from "../support/locks";
import { planAsForLargeTables } from "../support/plans";
import { interceptQueries } from "../support/queries";
import { newPartition } from "../support/webhooks";

// Changes of rows that are read first, and conversations that refer to such rows, in one statement.
// Whatever happens between the two, the change is made to the row that was read, or not at all.

databaseWaits.lock = 120_000;
databaseWaits.slowStatement = 60_000;
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";

/** Another process. */
let other: pg.Client;

beforeAll(async () => {
  other = new pg.Client({ connectionString: env().DATABASE_URL });
  await other.connect();
  await planAsForLargeTables(other);
});
afterAll(() => other.end());

const recordOf = (key: string): IdempotencyRecord => ({
  key,
  fingerprint: Buffer.from(key.padEnd(32, "\0").slice(0, 32)),
  status: 200,
  expiresAt: new Date(Date.now() + 3_600_000),
});

const newCustomer = (partition: Partition, externalId = "ada") =>
  mutate(system(partition), (caller) => createCustomer(caller, { externalId, name: "Ada" }));

const newConversation = (partition: Partition) =>
  mutate(system(partition), (caller) =>
    createConversation(caller, createConversationBody.parse({ channelId: "web" })),
  );

async function create(
  partition: Partition,
  refers: Pick<CreateConversation, "customerId" | "customer" | "agentId">,
  record: IdempotencyRecord | null = null,
): Promise<Conversation | null> {
  const body = { ...createConversationBody.parse({ channelId: "web", message: "Hi" }), ...refers };
  const made = await createConversationInOneStatement(
    system(partition),
    body,
    record,
    JSON.stringify,
  );
  return made === null ? null : JSON.parse(made);
}

async function patch(
  partition: Partition,
  id: string,
  body: UpdateConversation,
  record: IdempotencyRecord | null = null,
): Promise<Conversation | null> {
  const made = await updateConversationInOneStatement(
    system(partition),
    id,
    body,
    record,
    JSON.stringify,
  );
  return made === null ? null : JSON.parse(made);
}

async function patchCustomer(
  partition: Partition,
  id: string,
  name: string,
): Promise<Customer | null> {
  const made = await updateCustomerInOneStatement(
    system(partition),
    { id },
    { name },
    null,
    JSON.stringify,
  );
  return made === null ? null : JSON.parse(made);
}

/** Runs `between` after the first statement with this name. */
function afterStatement<Result>(
  name: string,
  between: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  let hasRun = false;
  return interceptQueries(async (sent, send) => {
    const result = await send();
    if (hasRun || !sent.startsWith(name)) return result;
    hasRun = true;
    await between();
    return result;
  }, work);
}

async function waitsForLock(count = 1): Promise<void> {
  while ((await countWaiting(other)) < count);
}

const eventsOf = async (partition: Partition) =>
  (await db().event.findMany({ where: partition, orderBy: { id: "asc" } })).map(({ type }) => type);

async function transactionsOf({ tenantId }: Partition, type: string): Promise<number> {
  const { rows } = await pool().query<{ transactions: number }>(
    "SELECT count(DISTINCT xact)::int AS transactions FROM events WHERE tenant_id = $1 AND type = $2",
    [tenantId, type],
  );
  return rows[0]?.transactions ?? 0;
}

const nameOf = async (partition: Partition, id: string) =>
  (await getCustomer(reader(system(partition)), id)).name;

test("a row that changes between the statements is not changed, and nothing is written", async () => {
  const partition = await newPartition();
  const [conversation, customer] = [await newConversation(partition), await newCustomer(partition)];
  const before = await eventsOf(partition);
  const change = (table: string, id: string) =>
    other.query(`UPDATE ${table} SET metadata = '{"kept": true}' WHERE id = $1`, [id]);

  const patched = await afterStatement(
    "find_conversation_to_update",
    () => change("conversations", conversation.id),
    () => patch(partition, conversation.id, { subject: "Lost?" }, recordOf("patch")),
  );
  const renamed = await afterStatement(
    "find_customer_to_update",
    () => change("customers", customer.id),
    () => patchCustomer(partition, customer.id, "Lost?"),
  );

  expect([patched, renamed]).toEqual([null, null]);
  expect(await getConversation(reader(system(partition)), conversation.id)).toMatchObject({
    subject: null,
    metadata: { kept: true },
  });
  expect(await nameOf(partition, customer.id)).toBe("Ada");
  expect(await findStoredResponse(partition, recordOf("patch"))).toBeNull();
  expect(await eventsOf(partition)).toEqual(before);
});

test("a row that is deleted between the statements is not changed", async () => {
  const partition = await newPartition();
  const { id } = await newCustomer(partition);
  const renamed = await afterStatement(
    "find_customer_to_update",
    () => other.query("DELETE FROM customers WHERE id = $1", [id]),
    () => patchCustomer(partition, id, "Grace"),
  );
  expect(renamed).toBeNull();
});

test.each(["COMMIT", "ROLLBACK"])(
  "of 16 changes, that of a locked row waits alone until the %s, which decides about it",
  async (end) => {
    const partition = await newPartition();
    const conversations = [];
    for (let index = 0; index < 16; index++) conversations.push(await newConversation(partition));
    const [locked, ...free] = conversations;
    if (!locked) throw new Error("expected a conversation");
    await other.query("BEGIN");
    await other.query("UPDATE conversations SET priority = 'HIGH' WHERE id = $1", [locked.id]);

    const waiting = patch(partition, locked.id, { subject: "Waits" });
    const state = watch(waiting);
    const made = await Promise.all(free.map(({ id }) => patch(partition, id, { subject: "Free" })));
    expect(made.map((conversation) => conversation?.subject)).toEqual(free.map(() => "Free"));
    await waitsForLock();
    expect(state.hasSettled).toBe(false);
    // They were not made one by one after the statement had waited.
    expect(await transactionsOf(partition, "conversation.updated")).toBe(1);

    await other.query(end);
    expect((await waiting)?.subject).toBe(end === "COMMIT" ? undefined : "Waits");
    expect(await getConversation(reader(system(partition)), locked.id)).toMatchObject(
      end === "COMMIT"
        ? { subject: null, priority: "HIGH" }
        : { subject: "Waits", priority: "NORMAL" },
    );
  },
);

test("of changes to one row in the same statement, one is made", async () => {
  const partition = await newPartition();
  const { id } = await newConversation(partition);
  const tags = ["a", "b", "c", "d"];
  const made = await Promise.all(tags.map((tag) => patch(partition, id, { addTags: [tag] })));
  const [only, ...more] = made.flatMap((conversation) => conversation?.tags ?? []);
  expect(more).toEqual([]);
  const stored = await getConversation(reader(system(partition)), id);
  expect(stored.tags).toEqual([only]);
  expect(
    (await eventsOf(partition)).filter((type) => type === "conversation.updated"),
  ).toHaveLength(1);
});

test("a key that is taken leaves the row as it is, also next to changes that are made", async () => {
  const partition = await newPartition();
  const [first, second] = [await newConversation(partition), await newConversation(partition)];
  expect(await patch(partition, first.id, { subject: "One" }, recordOf("k"))).not.toBeNull();
  const [taken, made] = await Promise.all([
    patch(partition, first.id, { subject: "Two" }, recordOf("k")),
    patch(partition, second.id, { subject: "Two" }, recordOf("another")),
  ]);
  expect([taken, made?.subject]).toEqual([null, "Two"]);
  expect((await getConversation(reader(system(partition)), first.id)).subject).toBe("One");
});

test.each([
  ["renamed", "UPDATE customers SET name = 'Grace' WHERE id = $1"],
  ["given another externalId", "UPDATE customers SET external_id = 'grace' WHERE id = $1"],
  ["deleted", "DELETE FROM customers WHERE id = $1"],
])("a conversation is not created if its customer was %s meanwhile", async (_how, change) => {
  const partition = await newPartition();
  const { id } = await newCustomer(partition);
  const refers = { customer: { externalId: "ada" } };
  const made = await afterStatement(
    "find_customer_by_external_id",
    () => other.query(change, [id]),
    () => create(partition, refers, recordOf("create")),
  );
  expect(made).toBeNull();
  expect(await db().conversation.count({ where: partition })).toBe(0);
  expect(await findStoredResponse(partition, recordOf("create"))).toBeNull();
});

test("conversations of a locked customer wait alone, and the customer's number of conversations is exact", async () => {
  const partition = await newPartition();
  const [locked, free] = [await newCustomer(partition), await newCustomer(partition, "grace")];
  await other.query("BEGIN");
  await other.query("UPDATE customers SET locale = 'de' WHERE id = $1", [locked.id]);

  const waiting = Promise.all(
    Array.from({ length: 20 }, () => create(partition, { customerId: locked.id })),
  );
  const state = watch(waiting);
  await Promise.all(
    Array.from({ length: 20 }, () => create(partition, { customer: { externalId: "grace" } })),
  );
  await waitsForLock();
  expect(state.hasSettled).toBe(false);
  await other.query("COMMIT");
  expect((await waiting).map((conversation) => conversation?.customerId)).toEqual(
    Array.from({ length: 20 }, () => locked.id),
  );

  for (const { id } of [locked, free]) {
    const { conversationCount } = await getCustomer(reader(system(partition)), id);
    expect(conversationCount).toBe(20);
    expect(await db().conversation.count({ where: { ...partition, customerId: id } })).toBe(20);
  }
});

test("a new customer and the conversation are created together, or neither if the externalId is taken meanwhile", async () => {
  const partition = await newPartition();
  const refers = { customer: { externalId: "ada", name: "Ada" } };
  const refused = await afterStatement(
    "find_customer_by_external_id",
    () => newCustomer(partition),
    () => create(partition, refers, recordOf("create")),
  );
  expect(refused).toBeNull();
  expect(await db().conversation.count({ where: partition })).toBe(0);
  expect(await findStoredResponse(partition, recordOf("create"))).toBeNull();

  const made = await create(partition, { customer: { name: "Grace" } });
  const id = made?.customerId ?? "";
  expect(await getCustomer(reader(system(partition)), id)).toMatchObject({
    name: "Grace",
    conversationCount: 1,
  });
  expect((await eventsOf(partition)).slice(1)).toEqual([
    "customer.created",
    "conversation.created",
    "message.received",
  ]);
});

test("of new customers with the same externalId, one is created, and the conversations of others share a statement with it", async () => {
  const [partition, innocent] = [await newPartition(), await newPartition()];
  const refers = { customer: { externalId: "ada", name: "Ada" } };
  const [same, others] = await Promise.all([
    Promise.all(Array.from({ length: 8 }, () => create(partition, refers))),
    Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        create(innocent, { customer: { externalId: `user-${index}` } }),
      ),
    ),
  ]);
  expect(same.filter((conversation) => conversation !== null)).toHaveLength(1);
  expect(others).not.toContain(null);
  expect(await db().customer.count({ where: partition })).toBe(1);
  expect(await db().conversation.count({ where: partition })).toBe(1);
  expect(await transactionsOf(innocent, "conversation.created")).toBe(1);
});

test("an agent that another transaction has locked holds up only its own conversation", async () => {
  const [partition, innocent] = [await newPartition(), await newPartition()];
  const agentIds: string[] = [];
  for (const owner of [partition, innocent]) {
    const body = createAgentBody.parse({ name: "Agent" });
    const { id } = await mutate(system(owner), (caller) => createAgent(caller, body));
    agentIds.push(id);
  }
  const [locked, free] = agentIds;
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM agents WHERE id = $1 FOR UPDATE", [locked]);
  const waiting = create(partition, { agentId: locked });
  const state = watch(waiting);
  const made = await Promise.all(
    Array.from({ length: 8 }, () => create(innocent, { agentId: free })),
  );
  expect(made).not.toContain(null);
  expect(await transactionsOf(innocent, "conversation.created")).toBe(1);
  await waitsForLock();
  expect(state.hasSettled).toBe(false);
  await other.query("COMMIT");
  expect((await waiting)?.agentId).toBe(locked);
});

test("the same key creates one customer, one conversation and one record", async () => {
  const partition = await newPartition();
  const refers = { customer: { name: "Ada" } };
  expect(await create(partition, refers, recordOf("k"))).not.toBeNull();
  expect(await create(partition, refers, recordOf("k"))).toBeNull();
  const body = { name: "Ada" };
  const createAlone = () =>
    createCustomerInOneStatement(system(partition), body, recordOf("k"), JSON.stringify);
  expect(await createAlone()).toBeNull();
  expect(await db().customer.count({ where: partition })).toBe(1);
  expect(await db().conversation.count({ where: partition })).toBe(1);
});

test("of 16 new customers, one whose externalId is taken is not created, and does not hold up the others", async () => {
  const partition = await newPartition();
  await newCustomer(partition);
  const names = ["ada", ...Array.from({ length: 15 }, (_, index) => `new-${index}`)];
  const made = await Promise.all(
    names.map((externalId) =>
      createCustomerInOneStatement(
        system(partition),
        { externalId },
        recordOf(externalId),
        JSON.stringify,
      ),
    ),
  );
  expect(made.map((body) => body === null)).toEqual(names.map((name) => name === "ada"));
  expect(await findStoredResponse(partition, recordOf("ada"))).toBeNull();
  // One of them is that of the customer who was there before.
  expect(await transactionsOf(partition, "customer.created")).toBe(2);
});

test("a customer who is being erased gets no conversation with the old name", async () => {
  const partition = await newPartition();
  const { id } = await newCustomer(partition);
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM customers WHERE id = $1 FOR UPDATE", [id]);
  const waiting = create(partition, { customerId: id });
  await waitsForLock();
  await other.query("UPDATE customers SET name = NULL, erased_at = now() WHERE id = $1", [id]);
  await other.query("COMMIT");
  expect(await waiting).toBeNull();
  expect(await db().message.count({ where: partition })).toBe(0);
});

test("what others change in a transaction and in one statement at the same time is all there", async () => {
  const partition = await newPartition();
  const { id } = await newCustomer(partition);
  const names = Array.from({ length: 30 }, (_, index) => `key${index}`);
  await Promise.all(
    names.map(async (key, index) => {
      const body = { metadata: { [key]: index } };
      const inTransaction = () =>
        mutate(system(partition), (caller) => updateCustomer(caller, id, body));
      if (index % 2 === 0) return inTransaction();
      const made = await updateCustomerInOneStatement(
        system(partition),
        { id },
        body,
        null,
        JSON.stringify,
      );
      return made ?? inTransaction();
    }),
  );
  const { metadata } = await getCustomer(reader(system(partition)), id);
  expect(metadata).toEqual(Object.fromEntries(names.map((key, index) => [key, index])));
  const { rows } = await pool().query(
    "SELECT count(*)::int AS events FROM events WHERE tenant_id = $1 AND type = 'customer.updated'",
    [partition.tenantId],
  );
  expect(rows).toEqual([{ events: 30 }]);
});
