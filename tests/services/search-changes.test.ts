import pg from "pg";
import { afterEach, beforeAll, expect, test } from "vitest";
import { indexForSearch } from "@/lib/conversations/search-index";
import { workOffErasures } from "@/lib/erasures/work-off-erasures";
import { closeDatabase, db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { call, newTenant, type TestTenant } from "../support/api";
import { later } from "../support/later";
import { explainEverything, planAsForLargeTables, plansOf } from "../support/plans";
import { indexCanReachAll, searchFindsAll } from "../support/search";

// Changed subjects and customers, which the job indexes for the search in batches.

/** How many conversations, and how many of their entries, a batch reads. */
const batch = 300;

beforeAll(async () => {
  await explainEverything();
  await planAsForLargeTables(pool());
  await closeDatabase();
  // From the first connection on.
  await plansOf(async () => {});
});

afterEach(async () => {
  await pool().query("DROP FUNCTION IF EXISTS refuse CASCADE");
  // What failed is tried again.
  await later(60_000, searchFindsAll);
});

const open = async (tenant: TestTenant, body: object): Promise<string> =>
  (await call(tenant, "POST", "/conversations", { channelId: "web", ...body })).body.id;

const newCustomer = async (tenant: TestTenant, name: string): Promise<string> =>
  (await call(tenant, "POST", "/customers", { name })).body.id;

const setSubject = (tenant: TestTenant, id: string, subject: string) =>
  call(tenant, "PATCH", `/conversations/${id}`, { subject });

const setName = (tenant: TestTenant, customerId: string, name: string) =>
  call(tenant, "PATCH", `/customers/${customerId}`, { name });

async function copyConversation(id: string, copies: number): Promise<void> {
  await pool().query(
    `INSERT INTO conversations SELECT (jsonb_populate_record(c, jsonb_build_object('id', left(c.id, 26) || lpad(i::text, 4, '0')))).*
     FROM conversations c, generate_series(1, ${copies}) i WHERE c.id = $1`,
    [id],
  );
  await searchFindsAll();
}

/** Adds entries of messages to an indexed conversation. Each conversation gets the same messages. */
const addEntries = (id: string, entries: number) =>
  pool().query(
    `INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
     SELECT tenant_id, environment, conversation_id, 'msg_' || lpad(i::text, 26, '0'), segment_id, header, ' copied'
     FROM search_entries, generate_series(1, ${entries}) i WHERE conversation_id = $1 AND message_id = ''`,
    [id],
  );

/** How many entries the tenant has by the first word of their subject or customer. */
async function countEntries({ tenantId }: TestTenant): Promise<Record<string, number>> {
  const { rows } = await pool().query<{ word: string; count: number }>(
    "SELECT split_part(header, ' ', 2) AS word, count(*)::int AS count FROM search_entries WHERE tenant_id = $1 GROUP BY 1",
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ word, count }) => [word, count]));
}

const countChanges = ({ tenantId }: TestTenant) => db().searchChange.count({ where: { tenantId } });

/** From now on, no entry of this tenant can be written again. */
const refuse = ({ tenantId }: TestTenant) =>
  pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.tenant_id = '${tenantId}' THEN RAISE EXCEPTION 'refused by the test'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON search_entries FOR EACH ROW EXECUTE FUNCTION refuse()`);

/** Runs the job as a worker does, which continues after a failure. */
async function runBatches(batches: number): Promise<void> {
  for (let run = 0; run < batches; run++) await indexForSearch(200).catch(() => {});
}

test("a change that always fails holds up no messages, and no changes of another organization", async () => {
  const [bad, good] = [await newTenant(), await newTenant()];
  const [badId, goodId] = [
    await open(bad, { subject: "before" }),
    await open(good, { subject: "before" }),
  ];
  await searchFindsAll();
  await refuse(bad);
  await setSubject(bad, badId, "after");
  await setSubject(good, goodId, "after");
  for (const [tenant, id] of [[bad, badId] as const, [good, goodId] as const])
    await call(tenant, "POST", `/conversations/${id}/messages`, { text: "Hello" });
  await indexCanReachAll();
  await runBatches(3);
  expect(await countEntries(good)).toEqual({ after: 2 });
  expect(await countEntries(bad)).toEqual({ before: 1, after: 1 });
  expect([await countChanges(good), await countChanges(bad)]).toEqual([0, 1]);

  await pool().query("DROP FUNCTION refuse CASCADE");
  await runBatches(1);
  expect(await countChanges(bad)).toBe(1);
  await later(60_000, () => runBatches(1));
  expect(await countEntries(bad)).toEqual({ after: 2 });
});

test("an erasure waits for the organization's own changes only", async () => {
  const [bad, good] = [await newTenant(), await newTenant()];
  const customerIds = [await newCustomer(bad, "before"), await newCustomer(good, "before")];
  for (const [index, customerId] of customerIds.entries())
    await open(index === 0 ? bad : good, { customerId });
  await searchFindsAll();
  await refuse(bad);
  const erasures = [bad, good].map((tenant, index) =>
    call(tenant, "POST", `/customers/${customerIds[index]}/erase`),
  );
  const paths = (await Promise.all(erasures)).map(({ body }) => `/erasures/${body.id}`);
  await flushRequestLogs();
  let aheadMs = 60_000;
  setCurrentTime(() => new Date(Date.now() + aheadMs));
  const workOff = async () => {
    for (let run = 0; run < 30; run++, aheadMs += 5_000) {
      await runBatches(1);
      await workOffErasures(200);
    }
    const statuses = [bad, good].map((tenant, index) => call(tenant, "GET", paths[index] ?? ""));
    return (await Promise.all(statuses)).map(({ body }) => body.status);
  };
  try {
    expect(await workOff()).toEqual(["PENDING", "COMPLETED"]);
    await pool().query("DROP FUNCTION refuse CASCADE");
    expect(await later(60_000, workOff)).toEqual(["COMPLETED", "COMPLETED"]);
  } finally {
    setCurrentTime(null);
  }
});

test("each batch of a long conversation reads only its own entries", async () => {
  const tenant = await newTenant();
  const id = await open(tenant, { subject: "before" });
  await searchFindsAll();
  await addEntries(id, 4 * batch + 1);
  await pool().query("ANALYZE search_entries");
  await setSubject(tenant, id, "after");
  for (let run = 1; run <= 5; run++) {
    const plans = await plansOf(() => indexForSearch(200));
    const rowsRead = plans.reduce((sum, plan) => sum + plan.rowsRead, 0);
    // It reads each entry, and finds it again to update it.
    expect(rowsRead).toBeLessThan(3 * batch);
    expect(await countEntries(tenant)).toMatchObject({
      after: Math.min(1 + run * batch, 4 * batch + 2),
    });
  }
  expect(await countChanges(tenant)).toBe(0);
});

test("a change of a customer with many conversations does not hold up another organization", async () => {
  const [large, small] = [await newTenant(), await newTenant()];
  const customerId = await newCustomer(large, "before");
  await copyConversation(await open(large, { customerId }), 3 * batch);
  const id = await open(small, { subject: "before" });
  await searchFindsAll();
  await setName(large, customerId, "after");
  await setSubject(small, id, "after");
  await runBatches(2);
  expect(await countEntries(small)).toEqual({ after: 1 });
  expect(await countEntries(large)).toMatchObject({ before: expect.any(Number) });
});

test("changes of one customer do not pile up, and the last one is found", async () => {
  const tenant = await newTenant();
  const customerId = await newCustomer(tenant, "before");
  await copyConversation(await open(tenant, { customerId }), 2 * batch);
  for (let number = 1; number <= 9; number++) {
    await setName(tenant, customerId, `name${number}`);
    await setName(tenant, customerId, `other${number}`);
    await runBatches(1);
    expect(await countChanges(tenant)).toBeLessThanOrEqual(2);
  }
  await searchFindsAll();
  expect(await countEntries(tenant)).toEqual({ other9: 2 * batch + 1 });
});

test("a change that is committed after others of its customer were merged is found", async () => {
  const tenant = await newTenant();
  const customerId = await newCustomer(tenant, "before");
  await open(tenant, { customerId });
  await searchFindsAll();
  for (const name of ["first", "second"]) await setName(tenant, customerId, name);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query("UPDATE customers SET name = 'third' WHERE id = $1", [customerId]);
    await runBatches(1);
    expect(await countEntries(tenant)).toEqual({ second: 1 });
    expect(await countChanges(tenant)).toBe(0);
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
  await searchFindsAll();
  expect(await countEntries(tenant)).toEqual({ third: 1 });
});

test.each(["stays", "leaves the customer"])(
  "a customer's change continues in the middle of a conversation, which %s",
  async (what) => {
    const tenant = await newTenant();
    const customerId = await newCustomer(tenant, "before");
    const ids = [await open(tenant, { customerId }), await open(tenant, { customerId })];
    await searchFindsAll();
    for (const id of ids) await addEntries(id, 2 * batch);
    await setName(tenant, customerId, "after");
    await runBatches(1);
    expect(await countEntries(tenant)).toMatchObject({ after: batch + 2 });
    if (what !== "stays")
      await call(tenant, "PATCH", `/conversations/${ids[0]}`, { customerId: null, subject: "own" });
    await searchFindsAll();
    const entries = 2 * batch + 1;
    expect(await countEntries(tenant)).toEqual(
      what === "stays" ? { after: 2 * entries } : { own: entries, after: entries },
    );
  },
);
