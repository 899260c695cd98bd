import pg from "pg";
import { expect, test, vi } from "vitest";
import { publishAgent } from "@/lib/agents/versions";
import { createConversationBody } from "@/lib/conversations/schema";
import { createConversation } from "@/lib/conversations/service";
import { workOffErasures } from "@/lib/erasures/work-off-erasures";
import { processDocument } from "@/lib/knowledge/documents/process-document";
import { type Identity, mutate, reader } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { RoleMissing } from "@/lib/platform/roles";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { withSampleFiles } from "@/lib/sample-data/sample-documents";
import { addSampleData, removeSampleData, sampleDataState } from "@/lib/sample-data/service";
import { findWipe, requestWipe, wipeTestData } from "@/lib/test-data/service";
import { flushRequestCounts } from "@/lib/usage/count-requests";
import type { Environment, Role } from "@/prisma/generated/enums";
import { call, newKey } from "../support/api";
import { fillTenant } from "../support/fill-tenant";
import { hasWaiting } from "../support/locks";
import { as, auditOf, newMember, newOrganization, type TestPerson } from "../support/people";

const addTo = (identity: Identity) =>
  withSampleFiles(identity.partition, (files) =>
    mutate(identity, (caller) => addSampleData(caller, files)),
  );
const removeFrom = (identity: Identity) => mutate(identity, removeSampleData);

test("sample data is added once, in test only, removing it deletes nothing of the tenant's own, and it can be added again after a wipe", async () => {
  const { tenant, owner } = await newOrganization();
  const identity = as(owner);
  const { partition } = identity;
  const count = async () => ({
    conversations: await db().conversation.count({ where: partition }),
    customers: await db().customer.count({ where: partition }),
    agents: await db().agent.count({ where: partition }),
    knowledgeBases: await db().knowledgeBase.count({ where: { ...partition, deletedAt: null } }),
    documents: await db().document.count({ where: partition }),
  });
  expect(await sampleDataState(reader(identity))).toBe("possible");
  await Promise.all([addTo(identity), addTo(identity)]);
  const sample = { conversations: 4, customers: 4, agents: 1, knowledgeBases: 1, documents: 3 };
  expect(await count()).toEqual(sample);
  expect(await sampleDataState(reader(identity))).toBe("present");

  const customer = await db().customer.findFirstOrThrow({ where: partition });
  const own = await mutate(identity, (caller) =>
    createConversation(
      caller,
      createConversationBody.parse({ channelId: "own", customerId: customer.id }),
    ),
  );
  await Promise.all([removeFrom(identity), removeFrom(identity)]);
  expect(await count()).toEqual({
    ...{ conversations: 1, customers: 1, agents: 0, knowledgeBases: 0, documents: 0 },
  });
  expect(await db().conversation.findFirst({ where: partition })).toMatchObject({ id: own.id });
  const actions = (await auditOf(tenant.id)).map(({ action }) => action);
  for (const action of ["organization.sample_data_added", "organization.sample_data_removed"])
    expect(actions.filter((name) => name === action)).toHaveLength(1);
  await expect(addTo(as(owner, "live"))).rejects.toThrow("only in test");
  expect(await sampleDataState(reader(identity))).toBe("possible");

  await addTo(identity);
  await ask(owner, tenant.slug);
  await wipeAll(200);
  expect(await sampleDataState(reader(identity))).toBe("possible");
});

test("sample documents are processed and found, and a knowledge base with another document stays", async () => {
  const { tenant, owner } = await newOrganization();
  const identity = as(owner);
  const { partition } = identity;
  const key = await newKey(tenant);
  await addTo(identity);
  const base = await db().knowledgeBase.findFirstOrThrow({ where: partition });
  const documents = await db().document.findMany({ where: partition });
  for (const { id } of documents) expect(await processDocument({ ...partition, id })).toBe(true);
  const { body: found } = await call(key, "GET", `/knowledge-bases/${base.id}/search?q=flickering`);
  expect(found.data.map((hit: { name: string }) => hit.name)).toEqual(["returns.md"]);
  const agent = await db().agent.findFirstOrThrow({ where: partition });
  expect((await call(key, "GET", `/agents/${agent.id}`)).body).toMatchObject({
    knowledgeBaseIds: [base.id],
  });

  const own = { name: "own.md", text: "Mine" };
  const { body: kept } = await call(key, "POST", `/knowledge-bases/${base.id}/documents`, own);
  await removeFrom(identity);
  expect(await db().document.findMany({ where: partition, select: { id: true } })).toEqual([
    { id: kept.id },
  ]);
  const names = async () => {
    const where = { ...partition, deletedAt: null };
    const rows = await db().knowledgeBase.findMany({ where, orderBy: { name: "asc" } });
    return rows.map(({ name }) => name);
  };
  expect(await names()).toEqual([base.name]);
  // The conversations are gone, so it is offered again.
  await addTo(identity);
  expect(await names()).toEqual([base.name, `${base.name} 2`]);
});

test("a sample agent that a conversation uses stays, and the rest is removed", async () => {
  const { owner } = await newOrganization();
  const identity = as(owner);
  const { partition } = identity;
  await addTo(identity);
  const agent = await db().agent.findFirstOrThrow({ where: partition });
  const body = createConversationBody.parse({ channelId: "own", agentId: agent.id });
  const own = await mutate(identity, (caller) => createConversation(caller, body));

  await removeFrom(identity);
  const select = { id: true };
  expect(await db().agent.findMany({ where: partition, select })).toEqual([{ id: agent.id }]);
  expect(await db().conversation.findMany({ where: partition, select })).toEqual([{ id: own.id }]);
  expect(await db().customer.count({ where: partition })).toBe(0);
  expect(await db().knowledgeBase.count({ where: { ...partition, deletedAt: null } })).toBe(0);
  expect(await sampleDataState(reader(identity))).toBe("possible");
});

/** Every table with a tenant and an environment, so that one that is added later is checked too. */
const partitionedTables = `
  SELECT t.table_name AS name FROM information_schema.columns t
  JOIN information_schema.columns e ON e.table_schema = t.table_schema AND e.table_name = t.table_name AND e.column_name = 'environment'
  JOIN pg_class c ON c.oid = quote_ident(t.table_name)::regclass AND NOT c.relispartition
  WHERE t.table_schema = 'public' AND t.column_name = 'tenant_id' ORDER BY 1`;

/**
 * What stays in the test environment: its setup, what was done, and the ids of what was deleted,
 * which are still cursors.
 */
const kept = [
  "api_keys",
  "audit_entries",
  "deleted_items",
  "deletions",
  // Zero bytes.
  "file_totals",
  "purged_events",
  "retention_settings",
  // Ranges of ids.
  "search_segments",
  // Zero bytes.
  "storage_days",
  "stray_blobs",
  "webhook_secrets",
  "webhook_warnings",
  "webhooks",
];

async function rowsOf(
  tenantId: string,
  environment: Environment,
): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool().query<{ name: string }>(partitionedTables);
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    // The last use of a key is written a while later, in the background.
    const sql = `SELECT (to_jsonb(r) - 'last_used_at')::text AS row FROM "${name}" r WHERE tenant_id = $1 AND environment = $2::"Environment" ORDER BY 1`;
    found[name] = (await pool().query<{ row: string }>(sql, [tenantId, environment])).rows.map(
      ({ row }) => row,
    );
  }
  return found;
}

/** These grow while the others shrink. */
const growing = ["audit_entries", "deleted_items", "deletions", "purged_events"];

/** Triggers delete their rows together with what they are about. */
const derived = [
  "conversation_metadata",
  "conversation_tags",
  "customer_metadata",
  "search_changes",
  "search_entries",
];

const countsOf = (rows: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, found]) =>
      found.length > 0 && !growing.includes(name) && !derived.includes(name)
        ? [[name, found.length]]
        : [],
    ),
  );

async function newFilledTenant() {
  const { tenant, owner } = await newOrganization();
  const [inTest, inLive] = await Promise.all([
    newKey(tenant),
    newKey(tenant, { environment: "live" }),
  ]);
  const test = await fillTenant(inTest);
  await fillTenant(inLive);
  return { tenant, owner, inTest, test };
}

const ask = (person: TestPerson, slug: string) =>
  mutate(as(person), (caller) => requestWipe(caller, slug));

async function wipeAll(limit = 7) {
  for (let batch = 0; (await db().wipeTask.count()) > 0; batch++) {
    if (batch > 500) throw new Error("the wipe does not come to an end");
    await wipeTestData(limit);
  }
}

test("the whole test environment is deleted in batches, and no row of live or of another tenant", async () => {
  const [{ tenant, owner }, { tenant: stranger }] = [
    await newFilledTenant(),
    await newFilledTenant(),
  ];
  const before = countsOf(await rowsOf(tenant.id, "test"));
  const untouched = async () => [
    await rowsOf(tenant.id, "live"),
    await rowsOf(stranger.id, "live"),
    await rowsOf(stranger.id, "test"),
  ];
  const others = await untouched();
  expect(Object.keys(before).length).toBeGreaterThan(16);

  await ask(owner, tenant.slug);
  const countLeft = async () =>
    Object.values(countsOf(await rowsOf(tenant.id, "test"))).reduce((sum, count) => sum + count);
  let total = await countLeft();
  for (let batch = 0; (await findWipe(reader(as(owner)))) !== null; batch++) {
    expect(batch).toBeLessThan(500);
    await wipeTestData(7);
    const left = await countLeft();
    // A stored file is marked for removal while its row is deleted.
    expect(total - left).toBeLessThanOrEqual(7 + 1);
    total = left;
  }

  const after = await rowsOf(tenant.id, "test");
  for (const [table, rows] of Object.entries(after)) {
    if (!kept.includes(table)) expect([table, rows]).toEqual([table, []]);
  }
  expect(after.webhooks).toHaveLength(1);
  expect(after.api_keys).toHaveLength(1);
  // Those of a document and six files.
  expect(after.stray_blobs).toHaveLength(7);
  expect(await untouched()).toEqual(others);
  expect((await auditOf(tenant.id)).slice(-2)).toEqual([
    { action: "test_data.wipe_requested", actorId: owner.id, targetId: tenant.id, changes: {} },
    {
      action: "test_data.wiped",
      actorId: "system",
      targetId: tenant.id,
      changes: { after: { deletedRows: expect.any(Number) } },
    },
  ]);
});

test("rows created while the wipe runs stay, with everything they refer to", async () => {
  const { tenant, owner, inTest, test } = await newFilledTenant();
  await ask(owner, tenant.slug);
  const { customer, agent } = test;
  const { body: conversation } = await call(inTest, "POST", "/conversations", {
    channelId: "web",
    message: "Later",
    customerId: customer.id,
    agentId: agent.id,
  });
  await wipeAll();

  const { body: list } = await call(inTest, "GET", "/conversations");
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([conversation.id]);
  expect(
    (await call(inTest, "GET", `/conversations/${conversation.id}/messages`)).body.data,
  ).toHaveLength(1);
  expect((await call(inTest, "GET", `/customers/${customer.id}`)).body).toMatchObject({
    name: "Ada",
    conversationCount: 1,
  });
  expect((await call(inTest, "GET", `/agents/${agent.id}`)).status).toBe(200);
  expect((await call(inTest, "GET", "/knowledge-bases")).body.data).toEqual([]);
});

test("an agent that gets a conversation while it is wiped stays, with its versions", async () => {
  const { tenant, owner } = await newOrganization();
  const inTest = await newKey(tenant);
  const { body: agent } = await call(inTest, "POST", "/agents", { name: "Ada" });
  await mutate(as(owner), (caller) => publishAgent(caller, agent.id));
  await ask(owner, tenant.slug);
  // As a conversation that is being created locks it.
  const client = await pool().connect();
  await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
  await client.query("SELECT 1 FROM agents WHERE id = $1 FOR KEY SHARE", [agent.id]);
  for (let batch = 0; batch < 3; batch++) await wipeTestData(20);
  await client.query("ROLLBACK");
  client.release();
  await call(inTest, "POST", "/conversations", { channelId: "web", agentId: agent.id });
  await wipeAll();

  const path = `/agents/${agent.id}`;
  expect((await call(inTest, "GET", `${path}?version=published`)).status).toBe(200);
  expect((await call(inTest, "PATCH", path, { name: "Eve" })).status).toBe(200);
});

test("messages and documents that are added to earlier conversations and knowledge bases stay", async () => {
  const { tenant, owner, inTest } = await newFilledTenant();
  const newConversation = async () =>
    (await call(inTest, "POST", "/conversations", { channelId: "web", message: "Earlier" })).body
      .id;
  const [kept] = [await newConversation(), await newConversation()];
  const { body: base } = await call(inTest, "POST", "/knowledge-bases", { name: "Earlier" });
  const documents = `/knowledge-bases/${base.id}/documents`;
  for (const text of ["One", "Two"])
    await call(inTest, "POST", documents, { name: `${text}.md`, text });
  await ask(owner, tenant.slug);

  await call(inTest, "POST", `/conversations/${kept}/messages`, { text: "Later" });
  const { body: later } = await call(inTest, "POST", documents, { name: "a.md", text: "Later" });
  await wipeAll();

  const { body: list } = await call(inTest, "GET", "/conversations");
  expect(list.data).toMatchObject([{ id: kept, messageCount: 2, lastMessagePreview: "Later" }]);
  const { body: messages } = await call(inTest, "GET", `/conversations/${kept}/messages`);
  expect(messages.data.map(({ text }: { text: string }) => text).sort()).toEqual([
    "Earlier",
    "Later",
  ]);
  const { body: bases } = await call(inTest, "GET", "/knowledge-bases");
  expect(bases.data).toMatchObject([
    {
      id: base.id,
      documentCounts: { pending: 1, processing: 0, ready: 0, failed: 0 },
      sizeBytes: 5,
    },
  ]);
  const { body: found } = await call(inTest, "GET", documents);
  expect(found.data.map(({ id }: { id: string }) => id)).toEqual([later.id]);
  expect(await processDocument({ ...inTest.identity.partition, id: later.id })).toBe(true);
  const { body: read } = await call(inTest, "GET", `/knowledge-bases/${base.id}`);
  expect(read.documentCounts).toMatchObject({ pending: 0, ready: 1 });
});

test("a conversation is complete or gone after each batch, and one that gets a message or a note meanwhile stays complete", async () => {
  const { tenant, owner } = await newOrganization();
  const inTest = await newKey(tenant);
  const count = 12;
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) {
    const { body } = await call(inTest, "POST", "/conversations", { channelId: "web" });
    ids.push(body.id);
    for (let number = 1; number <= count; number++)
      await call(inTest, "POST", `/conversations/${body.id}/messages`, { text: `${number}` });
  }
  const sequencesOf = async (id: string) => {
    const { status, body } = await call(
      inTest,
      "GET",
      `/conversations/${id}/messages?order=asc&limit=100`,
    );
    if (status === 404) return null;
    return body.data.map(({ sequence }: { sequence: number }) => sequence);
  };
  const all = Array.from({ length: count }, (_, index) => index + 1);
  await ask(owner, tenant.slug);
  await wipeTestData(2);
  const left: string[] = [];
  for (const id of ids) {
    const found = await sequencesOf(id);
    if (found === null) continue;
    expect(found).toEqual(all);
    left.push(id);
  }
  expect(left).toHaveLength(3);

  await call(inTest, "POST", `/conversations/${left[0]}/messages`, { text: "Hi" });
  const note = { text: "Call back at 5", direction: "INTERNAL" };
  await call(inTest, "POST", `/conversations/${left[1]}/messages`, note);
  await wipeAll(2);
  const more = [...all, count + 1];
  expect(await Promise.all(left.map(sequencesOf))).toEqual([more, more, null]);
  expect(await db().message.count({ where: { tenantId: tenant.id } })).toBe(2 * more.length);
});

/** Does `work` after the statement that deletes from `table` has begun, so that it does not see it. */
async function whileDeletingFrom(table: string, work: () => Promise<void>) {
  const hold = 7;
  await pool().query(`
    CREATE FUNCTION hold_wipe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true);
      PERFORM pg_advisory_xact_lock_shared(${hold});
      RETURN NULL;
    END $$;
    CREATE TRIGGER hold_wipe BEFORE DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION hold_wipe()`);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [hold]);
    const batch = wipeTestData(100);
    await vi.waitUntil(() => hasWaiting(client), { timeout: 120_000 });
    await work();
    await client.query("SELECT pg_advisory_unlock($1)", [hold]);
    await batch;
  } finally {
    await client.end();
    await pool().query("DROP FUNCTION hold_wipe CASCADE");
  }
  await wipeAll();
}

test.each(["INBOUND", "INTERNAL"])(
  "a message (%s) that is posted while its conversation is deleted stays, with the conversation",
  async (direction) => {
    const { tenant, owner } = await newOrganization();
    const inTest = await newKey(tenant);
    const { body: kept } = await call(inTest, "POST", "/conversations", { channelId: "web" });
    const messages = `/conversations/${kept.id}/messages`;
    await ask(owner, tenant.slug);
    await whileDeletingFrom("conversations", async () => {
      expect((await call(inTest, "POST", messages, { text: "Hi", direction })).status).toBe(201);
    });
    const { body } = await call(inTest, "GET", messages);
    expect(body.data).toMatchObject([{ text: "Hi", sequence: 1 }]);
  },
);

test("a document that is uploaded while its knowledge base is deleted stays, with the base", async () => {
  const { tenant, owner } = await newOrganization();
  const inTest = await newKey(tenant);
  const { body: base } = await call(inTest, "POST", "/knowledge-bases", { name: "Handbook" });
  const documents = `/knowledge-bases/${base.id}/documents`;
  await ask(owner, tenant.slug);
  await whileDeletingFrom("knowledge_bases", async () => {
    const uploaded = await call(inTest, "POST", documents, { name: "a.md", text: "Later" });
    expect(uploaded.status).toBe(201);
  });
  const { body: list } = await call(inTest, "GET", documents);
  expect(list.data).toMatchObject([{ name: "a.md" }]);
});

test.each(["customer", "agent"])(
  "a conversation that is created while its %s is deleted stays, with what it refers to",
  async (kind) => {
    const { tenant, owner } = await newOrganization();
    const inTest = await newKey(tenant);
    const { body: used } = await call(inTest, "POST", `/${kind}s`, { name: "Ada" });
    await ask(owner, tenant.slug);
    const body = { channelId: "web", [`${kind}Id`]: used.id };
    await whileDeletingFrom(`${kind}s`, async () => {
      expect((await call(inTest, "POST", "/conversations", body)).status).toBe(201);
    });
    const { body: list } = await call(inTest, "GET", "/conversations");
    expect(list.data).toMatchObject([body]);
    expect((await call(inTest, "GET", `/${kind}s/${used.id}`)).status).toBe(200);
  },
);

test("a conversation that is being created while the wipe ends is counted", async () => {
  const { tenant, owner } = await newOrganization();
  const inTest = await newKey(tenant);
  const { body: customer } = await call(inTest, "POST", "/customers", { name: "Ada" });
  const body = { channelId: "web", customerId: customer.id };
  await call(inTest, "POST", "/conversations", body);
  await ask(owner, tenant.slug);
  await call(inTest, "POST", "/conversations", body);
  let wiping: Promise<void> | undefined;
  await mutate(inTest.identity, async (caller) => {
    await createConversation(caller, createConversationBody.parse(body));
    wiping = wipeAll();
    await vi.waitUntil(() => hasWaiting(pool(), "%customers%"), { timeout: 10_000 });
  });
  await wiping;
  const { body: read } = await call(inTest, "GET", `/customers/${customer.id}`);
  expect(read.conversationCount).toBe(2);
});

test("wiping a conversation that was moved to a new customer updates the count of that customer", async () => {
  const { tenant, owner } = await newOrganization();
  const inTest = await newKey(tenant);
  const { body: conversation } = await call(inTest, "POST", "/conversations", { channelId: "web" });
  await ask(owner, tenant.slug);
  const { body: customer } = await call(inTest, "POST", "/customers", { name: "Ada" });
  const move = { customerId: customer.id };
  const moved = await call(inTest, "PATCH", `/conversations/${conversation.id}`, move);
  expect(moved.status).toBe(200);
  await wipeAll();
  const { body: read } = await call(inTest, "GET", `/customers/${customer.id}`);
  expect(read.conversationCount).toBe(0);
});

test("an erasure that is in progress clears a conversation that stays", async () => {
  const { tenant, owner, inTest } = await newFilledTenant();
  const { body: customer } = await call(inTest, "POST", "/customers", { name: "Ada" });
  const { body: kept } = await call(inTest, "POST", "/conversations", {
    ...{ channelId: "web", customerId: customer.id, message: "Earlier" },
  });
  const { body: erasure } = await call(inTest, "POST", `/customers/${customer.id}/erase`);
  await ask(owner, tenant.slug);
  await call(inTest, "POST", `/conversations/${kept.id}/messages`, { text: "Later" });
  await wipeAll();
  while ((await workOffErasures(100)) > 0);
  const { body: messages } = await call(inTest, "GET", `/conversations/${kept.id}/messages`);
  expect(messages.data.map(({ text }: { text: string }) => text)).toEqual(["", ""]);
  expect((await call(inTest, "GET", `/erasures/${erasure.id}`)).status).toBe(200);
});

test("only requests that arrive while the wipe runs are counted", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { tenant, owner, inTest } = await newFilledTenant();
  await ask(owner, tenant.slug);
  for (let count = 0; count < 3; count++) await call(inTest, "GET", "/account");
  await flushRequestLogs();
  await flushRequestCounts();
  await wipeAll();

  const { partition } = inTest.identity;
  expect(await db().requestLog.count({ where: partition })).toBe(3);
  const { _sum: drawn } = await db().requestHour.aggregate({
    where: partition,
    _sum: { succeeded: true },
  });
  expect(drawn).toEqual({ succeeded: 3 });
  const { body: usage } = await call(inTest, "GET", `/usage?from=${today}`);
  expect(usage.totals).toMatchObject({
    apiRequests: 3,
    conversationsCreated: 0,
    documentsStored: 0,
    webhookDeliveries: 0,
  });
});

test("a locked row delays no one, and is deleted afterwards", async () => {
  const { tenant, owner, test } = await newFilledTenant();
  await ask(owner, tenant.slug);
  const client = await pool().connect();
  await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
  await client.query("SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [
    test.conversationIds[0],
  ]);
  for (let batch = 0; batch < 60; batch++) await wipeTestData(20);
  expect(
    await db().conversation.count({ where: { tenantId: tenant.id, environment: "test" } }),
  ).toBe(1);
  expect(await db().wipeTask.count({ where: { tenantId: tenant.id } })).toBe(1);

  await client.query("ROLLBACK");
  client.release();
  await wipeAll();
  expect(
    await db().conversation.count({ where: { tenantId: tenant.id, environment: "test" } }),
  ).toBe(0);
});

test("two workers share the work", async () => {
  const { tenant, owner } = await newFilledTenant();
  await ask(owner, tenant.slug);
  const work = async () => {
    for (let batch = 0; batch < 40; batch++) await wipeTestData(5);
  };
  await Promise.all([work(), work()]);
  await wipeAll();
  expect(
    (await auditOf(tenant.id)).filter(({ action }) => action === "test_data.wiped"),
  ).toHaveLength(1);
  expect(await db().message.count({ where: { tenantId: tenant.id, environment: "test" } })).toBe(0);
});

test.each(["OWNER", "ADMIN", "MEMBER", "VIEWER"] satisfies Role[])(
  "%s: wiping needs the role and the typed name",
  async (role) => {
    const { tenant } = await newOrganization();
    const person = await newMember(tenant.id, role);
    const isAllowed = role === "OWNER" || role === "ADMIN";
    if (isAllowed) {
      await expect(ask(person, "something else")).rejects.toThrow(
        `must be ${tenant.slug} to confirm`,
      );
      await ask(person, tenant.slug);
      await expect(ask(person, tenant.slug)).rejects.toThrow("already being wiped");
    } else {
      await expect(ask(person, tenant.slug)).rejects.toThrow(RoleMissing);
    }
    expect(await db().wipeTask.count({ where: { tenantId: tenant.id } })).toBe(isAllowed ? 1 : 0);
    await wipeAll();
  },
);
