import { beforeAll, expect, test } from "vitest";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import {
  claimDeliveries,
  claimMore,
  claimNamed,
  claimOne,
  claimRequested,
  startOfScan,
} from "@/lib/deliveries/engine/claim";
import {
  findOverdueDeliveries,
  startOfOverdue,
} from "@/lib/deliveries/engine/find-overdue-deliveries";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { searchEvents } from "@/lib/deliveries/search-events";
import { createKnowledgeBase, deleteKnowledgeBase } from "@/lib/knowledge/bases/service";
import { processNextDocument, roundRobinStart } from "@/lib/knowledge/documents/process-document";
import { type DeliveryReference, mutate, reader, system } from "@/lib/platform/caller";
import { closeDatabase, db, pool, setProcessRole } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { readiness } from "@/lib/readiness/service";
import { newId } from "@/lib/resources/ids";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { workerSettings } from "@/lib/scheduling/worker-settings";
import { settlingMs } from "@/lib/tenant-deletion/delete-tenants";
import { deleteOrganization } from "@/lib/tenant-deletion/service";
import { createWebhook } from "@/lib/webhooks/service";
import { fillLargeDatabase, large } from "../support/large-database";
import { as, newOrganization } from "../support/people";
import { explainEverything, type Plan, plansOf } from "../support/plans";

const rows = 200_000;

// To analyze all of these tables, or to add as many rows, can take longer than the product allows.
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "120000";

// What one batch may read. The largest deletes 1,000 rows of each table; a plan that reads a table
// or a backlog reads 200,000. Deliveries of two statuses are found in two scans. Each reads up to
// 18,000 rows of a week that is not full and has no statistics (list-plans.full.test.ts says why).
const mostRows = 40_000;
const mostPages = 60_000;

beforeAll(async () => {
  await fillLargeDatabase(env().DATABASE_URL, rows);
  await explainEverything();
  await closeDatabase();
  setProcessRole("worker", workerSettings);
  // From the first connection on.
  await plansOf(async () => {});
}, 600_000);

const { "analyze-new-tables": analyze, ...jobs } = recurringJobs;

type Waiting = DeliveryReference & { webhookId: string; dueMs: number };

async function waiting(): Promise<Waiting> {
  const { rows } = await pool().query<Waiting>(
    `SELECT tenant_id AS "tenantId", environment, id, webhook_id AS "webhookId",
      (1000 * extract(epoch FROM next_attempt_at))::float8 AS "dueMs"
    FROM deliveries WHERE status = 'PENDING' LIMIT 1`,
  );
  if (!rows[0]) throw new Error("no delivery waits");
  return rows[0];
}

/** Everything that the worker does repeatedly, once. */
const work: Record<string, () => Promise<unknown>> = {
  ...Object.fromEntries(
    Object.entries(jobs).map(([name, job]) => [name, () => job.work(job.limit)]),
  ),
  "claim deliveries": () =>
    claimDeliveries({
      now: null,
      limit: 100,
      cursor: startOfScan,
      allowances: new Map(),
      defaultAllowance: 100,
      overdueSeconds: 0,
    }),
  "claim more deliveries": () =>
    waiting().then(({ dueMs, webhookId, tenantId, environment }) =>
      claimMore([{ tenantId, environment, webhookId, taken: 1, dueMs }], [100]),
    ),
  "claim named deliveries": () =>
    waiting().then((delivery) =>
      claimNamed([delivery], { allowances: new Map(), defaultAllowance: 100 }),
    ),
  "claim requested attempts": () => claimRequested({ now: null, limit: 100, overdueSeconds: 0 }),
  "claim one delivery": () => waiting().then((delivery) => claimOne(delivery)),
  "find overdue deliveries": () =>
    findOverdueDeliveries({ overdueSeconds: 0, limit: 500, after: startOfOverdue }),
  "process documents": () => processNextDocument(roundRobinStart, { overdueSeconds: 0 }),
  readiness,
};

const isLarge = ({ rowsRead, pages }: Plan) => rowsRead > mostRows || pages > mostPages;

async function largePlans(): Promise<Record<string, Plan[]>> {
  const found: Record<string, Plan[]> = {};
  for (const [name, run] of Object.entries(work)) {
    const plans = await plansOf(run);
    const claims = plans.filter(({ query }) => query.includes("lease_holder = "));
    if (name.startsWith("claim ")) expect(claims.length, name).toBeGreaterThan(0);
    const tooLarge = plans.filter(isLarge);
    if (tooLarge.length > 0) found[name] = tooLarge;
    if (process.env.SHOW_PLANS)
      for (const plan of plans) process.stdout.write(`${name}: ${JSON.stringify(plan)}\n`);
  }
  return found;
}

test(`no statement of the worker reads more than its batch, in tables of ${rows} rows that nothing has analyzed`, {
  timeout: 600_000,
}, async () => {
  expect(await largePlans()).toEqual({});
});

test("nor when they are analyzed", { timeout: 600_000 }, async () => {
  await analyze?.work(analyze.limit);
  await pool().query("ANALYZE");
  expect(await largePlans()).toEqual({});
});

test("nor of an erasure and of an organization's deletion while many changes of another one wait for the search", {
  timeout: 600_000,
}, async () => {
  const { tenant, owner } = await newOrganization();
  await mutate(as(owner), (caller) => deleteOrganization(caller, tenant.slug));
  const { rows: customers } = await pool().query<{ id: string }>(
    `SELECT id FROM customers WHERE tenant_id = '${large.tenantId}' LIMIT 1`,
  );
  const erasure = {
    customerId: customers[0]?.id ?? "",
    counts: {},
    identifiers: [],
    phase: "REST",
  };
  await db().erasure.create({
    data: {
      ...{
        tenantId: large.tenantId,
        environment: "test",
        id: newId("erasure"),
        nextAt: new Date(0),
      },
      ...{ requestedByType: "USER", requestedById: "usr_1", createdAt: new Date(), ...erasure },
    } as never,
  });
  await pool().query(
    `INSERT INTO search_changes (tenant_id, environment, target_id)
    SELECT '${large.tenantId}', 'test', id FROM conversations WHERE tenant_id = '${large.tenantId}'`,
  );
  setCurrentTime(() => new Date(Date.now() + settlingMs + 1_000));
  try {
    const plans = await plansOf(async () => {
      for (let batch = 0; batch < 3; batch++) {
        await recurringJobs["work-off-erasures"]?.work(200);
        await recurringJobs["delete-tenants"]?.work(500);
      }
    });
    expect(plans.filter(isLarge)).toEqual([]);
  } finally {
    setCurrentTime(null);
  }
  // Neither is finished: changes from before are not indexed yet.
  expect(await db().deletedTenant.count({ where: { tenantId: tenant.id } })).toBe(0);
  expect(await db().erasure.count({ where: { completedAt: null } })).toBeGreaterThan(0);
});

/** Redacts messages from 20 days ago. @returns how many rows each of them then read */
async function rowsReadPerRedaction(messages: number, offset: number): Promise<number> {
  await pool().query(
    `INSERT INTO deletions (tenant_id, environment, id, deleted_at)
     SELECT tenant_id, environment, id, now() - interval '1 hour' FROM messages
     WHERE tenant_id = '${large.tenantId}' AND id > 'msg_' || ulid_time(now() - interval '20 days') ORDER BY id OFFSET $1 LIMIT $2`,
    [offset, messages],
  );
  const job = recurringJobs["work-off-deletions"];
  const plans = await plansOf(async () => {
    while (((await job?.work(job.limit)) ?? 0) > 0);
  });
  expect(await db().deletion.count({ where: { finishedAt: null } })).toBe(0);
  if (process.env.SHOW_PLANS)
    for (const plan of plans) process.stdout.write(`redactions: ${JSON.stringify(plan)}\n`);
  return plans.reduce((total, { rowsRead }) => total + rowsRead, 0) / messages;
}

const countRedacted = () =>
  db().event.count({
    where: { type: "conversation.updated", payload: { contains: '"redacted":true' } },
  });

test("nor of redactions, which read only the events of their conversations", {
  timeout: 600_000,
}, async () => {
  // Each conversation has an event with a preview of its message, which was delivered.
  const updated = `(
    SELECT tenant_id, environment, id, created_at, 'evt_' || tail AS event_id, 'dlv_' || tail AS delivery_id
    FROM conversations, LATERAL (SELECT substr(id, 5, 10) || '1' || substr(id, 16) AS tail) AS t
    WHERE tenant_id = '${large.tenantId}' AND id > 'cnv_' || ulid_time(now() - interval '21 days')
  ) AS c`;
  await pool().query(
    `INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
     SELECT tenant_id, environment, event_id, 'conversation.updated', '{"id":"' || event_id || '","type":"conversation.updated","data":{"object":{"id":"' || id
       || '","lastMessageAt":"' || to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","lastMessagePreview":"Hello"}},"request":null}', created_at
     FROM ${updated}`,
  );
  await pool().query(
    `INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, created_at, updated_at)
     SELECT tenant_id, environment, delivery_id, '${large.webhookId}', event_id, 'conversation.updated', 'DELIVERED', created_at, created_at FROM ${updated}`,
  );
  await pool().query(
    `INSERT INTO delivery_attempts (tenant_id, environment, delivery_id, number, started_at, duration_ms, response)
     SELECT tenant_id, environment, delivery_id, 1, created_at, 5, 'Hello' FROM ${updated}`,
  );
  const responses = await db().deliveryAttempt.count({ where: { response: "Hello" } });

  expect(await rowsReadPerRedaction(10, 0)).toBeLessThan(100);
  expect(await countRedacted()).toBe(10);
  await pool().query("ANALYZE");
  expect(await rowsReadPerRedaction(10, 10)).toBeLessThan(100);
  expect(await countRedacted()).toBe(20);
  expect(await db().deliveryAttempt.count({ where: { response: "Hello" } })).toBe(responses - 20);
});

test("nor of retention while most conversations were closed recently", {
  timeout: 600_000,
}, async () => {
  await pool().query(
    `UPDATE conversations SET status = 'CLOSED', closed_at = now() - interval '1 day' WHERE tenant_id = '${large.tenantId}'`,
  );
  const partition = { tenantId: large.tenantId, environment: "test" as const };
  const due = { nextAt: new Date(0), passStartedAt: new Date() };
  const days = { conversations: 2, events: 10 };
  await db().retentionSetting.create({ data: { ...partition, ...days, ...due } });
  const retention = recurringJobs["apply-retention"];
  const plans = await plansOf(async () => retention?.work(retention.limit));
  for (const table of ["conversations", "events"]) {
    const ofTable = plans.filter(({ query }) => query.includes(`DELETE FROM ${table}`));
    expect(ofTable.length).toBeGreaterThan(0);
    expect(ofTable.filter(({ rowsRead }) => rowsRead > 1_000)).toEqual([]);
  }
});

test("nor of webhooks and knowledge bases without anything, if another one has everything", {
  timeout: 600_000,
}, async () => {
  const partition = { tenantId: large.tenantId, environment: "test" as const };
  const identity = system(partition);
  await pool().query("DELETE FROM backlog_tasks");
  // The statistics then know a single webhook, status and knowledge base.
  await pool().query(
    `UPDATE deliveries SET webhook_id = '${large.webhookId}', status = 'DELIVERED', next_attempt_at = NULL, requested_at = NULL WHERE webhook_id <> '${large.webhookId}' OR status <> 'DELIVERED'`,
  );
  await pool().query("ANALYZE");
  const body = { url: "http://127.0.0.1:9/", events: ["*"], metadata: {}, description: null };
  const webhooks = await Promise.all(
    Array.from({ length: 4 }, () => mutate(identity, (caller) => createWebhook(caller, body))),
  );
  const ids = [...webhooks.map(({ id }) => id), large.webhookId];
  const actions = ["RECOVER", "RESUME", "DISCARD", "DELETE", "RECOVER"];
  await pool().query(
    `INSERT INTO backlog_tasks (tenant_id, environment, id, webhook_id, action, after_id, before_id, next_due_at, created_at)
     SELECT '${large.tenantId}', 'test', 'btk_' || id, id, action::"BacklogAction", CASE WHEN action = 'DELETE' THEN '' ELSE 'dlv_0' END,
       CASE WHEN action = 'DELETE' THEN '' ELSE 'dlv_Z' END, now(), now()
     FROM unnest($1::text[], $2::text[]) AS task (id, action)`,
    [ids, actions],
  );
  // Long enough ago for the webhook itself to be deleted.
  await pool().query(
    "UPDATE webhooks SET deleted_at = now() - interval '1 hour' WHERE id IN (SELECT webhook_id FROM backlog_tasks WHERE action = 'DELETE')",
  );
  const base = await mutate(identity, (caller) =>
    createKnowledgeBase(caller, { name: "Empty", metadata: {} }),
  );
  await mutate(identity, (caller) => deleteKnowledgeBase(caller, base.id));
  const plans = await plansOf(async () => {
    for (const work of [workOffBacklog, workOffDeletions])
      for (let run = 0; run < 3; run++) await work(200);
    for (const order of ["asc", "desc"] as const)
      await searchEvents(reader(identity), { limit: 20, order, undelivered: "true" });
  });
  expect(plans.filter(({ query }) => query.includes("DELETE FROM webhooks"))).not.toEqual([]);
  expect(plans.filter(({ rowsRead }) => rowsRead > 1_000)).toEqual([]);
  expect(await db().backlogTask.count()).toBe(0);
  expect(await db().knowledgeBase.count({ where: { id: base.id } })).toBe(0);
});

test("nor while all of a test environment is deleted", { timeout: 600_000 }, async () => {
  await pool().query(
    `INSERT INTO wipe_tasks (tenant_id, requested_by_id, requested_at) VALUES ('${large.tenantId}', 'usr_1', now())`,
  );
  const wipe = recurringJobs["wipe-test-data"];
  const plans = await plansOf(async () => {
    for (let batch = 0; batch < 10; batch++) await wipe?.work(wipe.limit);
  });
  expect(plans.filter(isLarge)).toEqual([]);
});
