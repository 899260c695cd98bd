import pg from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readQuery } from "@/lib/api/read-request";
import { listConversationsQuery } from "@/lib/conversations/schema";
import { listConversations } from "@/lib/conversations/service";
import { findCustomersQuery, listCustomersQuery } from "@/lib/customers/schema";
import { findCustomers, listCustomers } from "@/lib/customers/service";
import { listDeliveriesQuery } from "@/lib/deliveries/schema";
import { listDeliveries } from "@/lib/deliveries/service";
import { listEventsQuery } from "@/lib/events/schema";
import { listEvents } from "@/lib/events/service";
import { followEventsStatement, newEventsStatement } from "@/lib/events/service.sql";
import { listDocumentsQuery } from "@/lib/knowledge/documents/schema";
import { listDocuments } from "@/lib/knowledge/documents/service";
import { type Identity, reader } from "@/lib/platform/caller";
import { closeDatabase, pool, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { addHalfTenant, analyze, fillLargeDatabase, large } from "../support/large-database";
import { explainEverything, plansOf } from "../support/plans";

const rows = 200_000;

// To add as many rows can take longer than the product allows.
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "120000";

/**
 * A page of 20 needs some dozens; a filter that reads its way to a rare row, or to none, reads a
 * week of 23,333 rows, or more. Without statistics, the planner finds all indexes of one height
 * equally good. In a week that is not full, one without the filtered column can be less high, and
 * it reads up to 18,000 rows, until the worker analyzes the week, seconds later.
 */
const mostRows = 20_000;
/** A statement gets its generic plan at its sixth execution. */
const executions = 7;

const identity: Identity = {
  partition: { tenantId: large.tenantId, environment: "test" },
  actor: { type: "OPERATOR", id: "tests" },
  request: null,
  address: null,
};

/** As the API reads it, with `metadata[plan]` as an object. */
const toQuery = (query: Record<string, string>) => readQuery(new URLSearchParams(query).toString());

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const dayMs = 86_400_000;

/** Of each filter a value that most rows have, one that a few have, and one that none has. */
const lists: Record<
  string,
  { run: (query: Record<string, string>) => Promise<unknown>; filters: Record<string, string[]> }
> = {
  conversations: {
    run: (query) =>
      listConversations(reader(identity), listConversationsQuery.parse(toQuery(query))),
    filters: {
      status: [
        "OPEN",
        "SNOOZED",
        "CLOSED",
        "SNOOZED,CLOSED",
        "OPEN,SNOOZED",
        "PENDING,RESOLVED,CLOSED",
      ],
      channelId: ["web", "rare", "none"],
      customerId: ["cus_none"],
      agentId: ["agt_common", "agt_rare", "agt_none"],
      assigneeId: ["usr_common", "usr_rare", "usr_none"],
      externalId: ["order-77", "order-none"],
      tag: ["common", "tag-3", "rare", "none"],
      "metadata[plan]": ["common", "rare", "none"],
      "metadata[number]": ["77"],
      updatedSince: [ago(59 * dayMs), ago(30 * dayMs), ago(dayMs), ago(600_000), ago(-dayMs)],
    },
  },
  customers: {
    run: (query) => listCustomers(reader(identity), listCustomersQuery.parse(toQuery(query))),
    filters: {
      email: ["customer-77@example.com", "none@example.com"],
      phone: ["+4910000077", "+4999999999"],
      externalId: ["external-77", "external-none"],
      "metadata[plan]": ["common", "rare", "none"],
    },
  },
  "customers of the dashboard": {
    run: async (query) => {
      const parsed = findCustomersQuery.parse(query);
      const { nextCursor } = await findCustomers(reader(identity), parsed);
      await findCustomers(reader(identity), { ...parsed, cursor: nextCursor });
    },
    filters: { sort: ["name", "updatedAt"] },
  },
  documents: {
    run: (query) =>
      listDocuments(reader(identity), large.knowledgeBaseId, listDocumentsQuery.parse(query)),
    filters: { status: ["READY", "FAILED", "PENDING", "PENDING,FAILED"] },
  },
  deliveries: {
    run: (query) =>
      listDeliveries(reader(identity), large.webhookId, listDeliveriesQuery.parse(query)),
    filters: {
      status: ["DELIVERED", "FAILED", "DISCARDED", "DISCARDED,FAILED"],
      eventType: ["message.received", "webhook.disabled", "agent.created"],
    },
  },
  events: {
    run: (query) => listEvents(reader(identity), listEventsQuery.parse(query)),
    filters: {
      type: ["message.received", "webhook.disabled", "agent.created"],
      since: [ago(59 * dayMs), ago(dayMs), ago(600_000), ago(-dayMs)],
    },
  },
};

/** Filters that are combined, most of them with `updatedSince`, of common, rare and missing values. */
const combined: Record<string, string>[] = [
  { tag: "common", updatedSince: ago(dayMs) },
  { tag: "rare", updatedSince: ago(59 * dayMs) },
  { tag: "none", updatedSince: ago(30 * dayMs) },
  { status: "OPEN", updatedSince: ago(30 * dayMs) },
  { status: "SNOOZED", updatedSince: ago(dayMs) },
  { channelId: "web", updatedSince: ago(dayMs) },
  { channelId: "rare", agentId: "agt_common", updatedSince: ago(30 * dayMs) },
  { agentId: "agt_rare", status: "OPEN", updatedSince: ago(dayMs) },
  { "metadata[plan]": "rare", status: "OPEN", updatedSince: ago(30 * dayMs) },
  { "metadata[plan]": "common", updatedSince: ago(dayMs) },
  { assigneeId: "usr_rare", updatedSince: ago(30 * dayMs) },
  { "metadata[plan]": "rare", "metadata[number]": "77" },
];

const cases = Object.entries(lists).flatMap(([list, { filters }]) =>
  Object.entries(filters).flatMap(([filter, values]) =>
    values.map((value) => ({ list, filter, value })),
  ),
);

beforeAll(async () => {
  await fillLargeDatabase(env().DATABASE_URL, rows);
  await addHalfTenant(env().DATABASE_URL);
  await explainEverything();
  await closeDatabase();
}, 600_000);

describe.each(["not analyzed", "analyzed"])("tables of 200,000 rows that are %s", (state) => {
  beforeAll(async () => {
    if (state === "analyzed") await analyze(env().DATABASE_URL);
  });

  test.each(cases)(
    "$list by $filter=$value reads no more than a page, either way",
    async ({ list, filter, value }) => {
      for (const order of ["asc", "desc"]) {
        const plans = await plansOf(async () => {
          for (let execution = 0; execution < executions; execution++)
            await lists[list]?.run({ [filter]: value, order });
        });
        expect(plans.filter(({ rowsRead }) => rowsRead > mostRows)).toEqual([]);
      }
    },
  );
});

// Combined filters are planned with the statistics of their values, so these need them.
test.each(
  [large.tenantId, large.halfTenantId].flatMap((tenantId) =>
    combined.map((query) => ({ tenantId, query })),
  ),
)(
  "analyzed conversations of $tenantId by $query read no more than a page, either way",
  async ({ tenantId, query }) => {
    const partition = { tenantId, environment: "test" as const };
    for (const order of ["asc", "desc"]) {
      const parsed = listConversationsQuery.parse(toQuery({ ...query, order }));
      const plans = await plansOf(() =>
        listConversations(reader({ ...identity, partition }), parsed),
      );
      expect(plans.filter(({ rowsRead }) => rowsRead > mostRows)).toEqual([]);
    }
  },
);

test("whether a feed has new events is read from its end, if it has and if it has none", async () => {
  await analyze(env().DATABASE_URL);
  const { rows } = await pool().query(
    `SELECT max(xact::text::bigint)::text AS last, (max(xact::text::bigint) + 1)::text AS next FROM events WHERE tenant_id = '${large.tenantId}'`,
  );
  const { last, next } = rows[0];
  // The next connection reports its plans.
  await closeDatabase();
  const found: unknown[] = [];
  const plans = await plansOf(async () => {
    for (let execution = 0; execution < executions; execution++)
      for (const xact of [last, next])
        found.push(
          await runSql(
            newEventsStatement({
              tenantIds: [large.tenantId, "ten_none"],
              environments: ["test", "test"],
              transactions: [xact, xact],
            }),
          ),
        );
  });
  const isNew = [{ tenantId: large.tenantId, environment: "test" }];
  expect(found).toEqual(Array.from({ length: executions }, () => [isNew, []]).flat());
  expect(plans).toHaveLength(2 * executions);
  expect(plans.filter(({ rowsRead }) => rowsRead > 1_000)).toEqual([]);
});

test("a stream of types that another tenant has often reads only its own events of these types", async () => {
  const { tenantId, halfTenantId } = large;
  // The planner then finds many events at the end of the feed, but none of them are this tenant's.
  const older = new pg.Client({ connectionString: env().DATABASE_URL });
  await older.connect();
  onTestFinished(() => older.end());
  await older.query("BEGIN");
  await older.query("SELECT pg_current_xact_id()");
  await pool().query(
    `INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
     SELECT '${halfTenantId}', environment, id, CASE WHEN right(id, 1) < '5' THEN 'agent.created' ELSE 'agent.archived' END, payload, created_at
     FROM events WHERE tenant_id = '${tenantId}' AND right(id, 1) < '9'`,
  );
  await analyze(env().DATABASE_URL);
  // The next connection reports its plans.
  await closeDatabase();
  const plans = await plansOf(async () => {
    for (let execution = 0; execution < executions; execution++)
      await runSql(
        followEventsStatement(identity.partition, {
          position: { xact: "0", id: "" },
          types: ["agent.created", "agent.archived"],
          limit: 100,
        }),
      );
  });
  expect(plans.length).toBeGreaterThan(0);
  expect(plans.filter(({ rowsRead }) => rowsRead > 1_000)).toEqual([]);
});
