import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { readQuery } from "@/lib/api/read-request";
import { listConversationsQuery } from "@/lib/conversations/schema";
import { listConversations } from "@/lib/conversations/service";
import { findCustomersQuery, listCustomersQuery } from "@/lib/customers/schema";
import { findCustomers, listCustomers } from "@/lib/customers/service";
import { listDeliveriesQuery, searchDeliveriesQuery } from "@/lib/deliveries/schema";
import { countUnsent, oldestHeld, searchDeliveries } from "@/lib/deliveries/search";
import { searchEvents } from "@/lib/deliveries/search-events";
import { listDeliveries } from "@/lib/deliveries/service";
import { listEventsQuery, searchEventsQuery } from "@/lib/events/schema";
import { listEvents } from "@/lib/events/service";
import { createKnowledgeBase } from "@/lib/knowledge/bases/service";
import { listDocumentsQuery } from "@/lib/knowledge/documents/schema";
import { listDocuments } from "@/lib/knowledge/documents/service";
import { mutate, reader, system } from "@/lib/platform/caller";
import { closeDatabase } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { listRequestLogsQuery } from "@/lib/request-logs/schema";
import { listRequestLogs } from "@/lib/request-logs/service";
import { newId } from "@/lib/resources/ids";
import { fillLargeDatabase, large } from "../support/large-database";
import { explainEverything, type Plan, plansOf } from "../support/plans";

// A young installation can have one webhook, API key and knowledge base with everything, and the next
// ones with nothing. The statistics then know a single value of a column, so that any index in the
// order of a list seems as good as one that starts with the column.

const rows = 200_000;
/** A page, and what a search of customers looks at before it asks the index of words. */
const mostRows = 12_000;
/** A statement gets its generic plan at its sixth execution. */
const executions = 7;

const identity = system({ tenantId: large.tenantId, environment: "test" });
const idleWebhookId = large.quietWebhookId;
let idleBaseId: string;

beforeAll(async () => {
  await fillLargeDatabase(env().DATABASE_URL, rows);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await client.query("SET session_replication_role = replica");
  await client.query(
    `UPDATE conversations SET status = 'OPEN', snoozed_until = NULL, channel_id = 'web', agent_id = 'agt_common', assignee_id = 'usr_common'`,
  );
  await client.query("UPDATE events SET type = 'message.received'");
  await client.query(
    `UPDATE deliveries SET webhook_id = '${large.webhookId}', status = 'DELIVERED', event_type = 'message.received', next_attempt_at = NULL`,
  );
  await client.query("UPDATE documents SET status = 'READY'");
  await client.query("ANALYZE");
  await client.end();
  const base = { name: "Empty", metadata: {} };
  idleBaseId = (await mutate(identity, (writer) => createKnowledgeBase(writer, base))).id;
  await explainEverything();
  // The next connection reports its plans.
  await closeDatabase();
}, 600_000);

/** As the API reads it, with `metadata[plan]` as an object. */
const toQuery = (query: Record<string, string>) => readQuery(new URLSearchParams(query).toString());
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const dayMs = 86_400_000;

const inBothOrders = (query: object) => [
  { ...query, order: "asc" },
  { ...query, order: "desc" },
];
const searches: Record<string, [(query: never) => Promise<unknown>, object[]]> = {
  conversations: [
    (query) => listConversations(reader(identity), listConversationsQuery.parse(toQuery(query))),
    [
      { status: "SNOOZED" },
      { status: "SNOOZED,CLOSED" },
      { channelId: "none" },
      { customerId: "cus_none" },
      { agentId: "agt_none" },
      { assigneeId: "usr_none" },
      { tag: "none" },
      { "metadata[plan]": "none" },
      { updatedSince: ago(-dayMs) },
    ],
  ],
  customers: [
    (query) => listCustomers(reader(identity), listCustomersQuery.parse(toQuery(query))),
    [{ email: "none@example.com" }, { phone: "+4999999999" }, { externalId: "none" }, { q: "zzz" }],
  ],
  "customers of the dashboard": [
    (query) => findCustomers(reader(identity), findCustomersQuery.parse(query)),
    [{ q: "zzz" }, { q: "zzz", sort: "name" }, { q: "zzz", sort: "updatedAt" }],
  ],
  events: [
    (query) => listEvents(reader(identity), listEventsQuery.parse(query)),
    [{ type: "agent.created" }, { type: "agent.created", since: ago(dayMs) }],
  ],
  "undelivered events": [
    (query) => searchEvents(reader(identity), searchEventsQuery.parse(query)),
    [{ undelivered: "true" }, { undelivered: "true", type: "message.received" }],
  ],
  "deliveries of the idle webhook": [
    (query) => listDeliveries(reader(identity), idleWebhookId, listDeliveriesQuery.parse(query)),
    [{}, { status: "FAILED" }, { status: "FAILED,HELD" }, { eventType: "message.received" }],
  ],
  "deliveries of the other webhook": [
    (query) => listDeliveries(reader(identity), large.webhookId, listDeliveriesQuery.parse(query)),
    [{ status: "FAILED" }, { status: "FAILED,HELD" }, { eventType: "agent.created" }],
  ],
  "deliveries of the dashboard": [
    (query) =>
      searchDeliveries(reader(identity), idleWebhookId, searchDeliveriesQuery.parse(query)),
    [{}, { status: "FAILED" }, { eventType: "message.received" }, { response: "5xx" }],
  ],
  "what the page of a webhook counts": [
    async () => [
      await countUnsent(reader(identity), idleWebhookId),
      await oldestHeld(reader(identity), idleWebhookId),
    ],
    [{}],
  ],
  documents: [
    (query) => listDocuments(reader(identity), idleBaseId, listDocumentsQuery.parse(query)),
    [{}, { status: "READY" }, { status: "READY,FAILED" }],
  ],
  "request logs": [
    (query) => listRequestLogs(reader(identity), listRequestLogsQuery.parse(query)),
    [{ apiKeyId: newId("apiKey") }, { status: "4xx" }, { idempotencyKey: "none" }],
  ],
};

test.each(Object.keys(searches))(
  "%s by what none of them has read no more than a page",
  async (name) => {
    const [run, queries] = searches[name] ?? [];
    const found: Record<string, Plan[]> = {};
    for (const query of queries?.flatMap(inBothOrders) ?? []) {
      const plans = await plansOf(async () => {
        for (let execution = 0; execution < executions; execution++) await run?.(query as never);
      });
      expect(plans.length).toBeGreaterThan(0);
      const large = plans.filter(({ rowsRead }) => rowsRead > mostRows);
      if (large.length > 0) found[JSON.stringify(query)] = large;
    }
    expect(found).toEqual({});
  },
);

test.each([undefined, "name", "updatedAt"] as const)(
  "a search of customers for a word that all have reads no more than a page, sorted by $0",
  async (sort) => {
    for (const query of inBothOrders({ q: "customer", ...(sort && { sort }) })) {
      const plans = await plansOf(() =>
        findCustomers(reader(identity), findCustomersQuery.parse(query)),
      );
      expect(plans.length).toBeGreaterThan(0);
      expect(plans.filter(({ rowsRead }) => rowsRead > 100)).toEqual([]);
    }
  },
);
