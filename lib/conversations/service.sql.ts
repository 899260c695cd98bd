import {
  hasFreeExternalId,
  insertCustomers,
  newCustomerParameters,
} from "@/lib/customers/new-customer";
import {
  changeParameters,
  eventParameters,
  recordParameters,
  writeEvents,
  writeFirst,
} from "@/lib/events/outbox.sql";
import { type ChangeText, changeSql } from "@/lib/platform/change-sql";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { type References, sql, timeOf } from "@/lib/platform/sql";
import type { ConversationModel } from "@/prisma/generated/models";

export type ConversationRow = ConversationModel;

/** A conversation as the API returns it, in the same order, so that it is printed as it was read. */
export const conversationFields = `id, environment, status, channel_id AS "channelId",
  customer_id AS "customerId", agent_id AS "agentId", assignee_id AS "assigneeId", subject, priority, tags, metadata,
  external_id AS "externalId", message_count AS "messageCount", last_message_at AS "lastMessageAt",
  last_message_preview AS "lastMessagePreview", snoozed_until AS "snoozedUntil", resolved_at AS "resolvedAt",
  closed_at AS "closedAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

export const conversationColumns = `tenant_id AS "tenantId", ${conversationFields}`;

/** The first environment after the given one with a snoozed conversation, and when its first is due. */
const nextWithSnoozed = (after: string) => `
  SELECT c.tenant_id, c.environment, c.snoozed_until FROM conversations c
  WHERE c.snoozed_until IS NOT NULL AND (c.tenant_id, c.environment) > (${after})
  ORDER BY c.tenant_id, c.environment, c.snoozed_until LIMIT 1`;

/**
 * Snoozed conversations whose time has come, without some of them, and what time it is. If there are
 * more than the batch takes, environments share it, so that none waits for another's backlog: those of
 * the oldest ones, and those that a round-robin scan of all environments reaches next. Each step of the
 * scan is one index lookup. Each row has the last environment of the scan, or null after a full round.
 */
export const dueSnoozedStatement = sql(
  "due_snoozed_conversations",
  {
    now: "clock",
    limit: "int",
    except: "text[]",
    afterTenantId: "text",
    afterEnvironment: "Environment",
  },
  (p) => {
    const isDue = `c.status = 'SNOOZED' AND c.snoozed_until <= ${timeOf(p.now)} AND ${isNotMoving("c.tenant_id")} AND c.id <> ALL (${p.except})`;
    return `
  WITH RECURSIVE oldest AS MATERIALIZED (
    SELECT c.tenant_id, c.environment FROM conversations c WHERE ${isDue} ORDER BY c.snoozed_until LIMIT ${p.limit}
  ),
  turn AS (
    (SELECT n.*, 1 AS step FROM (${nextWithSnoozed(`${p.afterTenantId}, ${p.afterEnvironment}`)}) n
    WHERE (SELECT count(*) FROM oldest) >= ${p.limit})
    UNION ALL
    SELECT n.*, t.step + 1 FROM turn t CROSS JOIN LATERAL (${nextWithSnoozed("t.tenant_id, t.environment")}) n WHERE t.step < ${p.limit}
  ),
  candidate AS MATERIALIZED (
    SELECT tenant_id, environment, min(step) AS step FROM (
      SELECT tenant_id, environment, step FROM turn WHERE snoozed_until <= ${timeOf(p.now)}
      UNION ALL
      SELECT tenant_id, environment, NULL FROM oldest
    ) e GROUP BY tenant_id, environment
  )
  SELECT e.tenant_id AS "tenantId", e.environment, due.id, ${timeOf(p.now)} AS at,
    (SELECT tenant_id FROM turn WHERE step = ${p.limit}) AS "lastTenantId",
    (SELECT environment FROM turn WHERE step = ${p.limit}) AS "lastEnvironment"
  FROM candidate e CROSS JOIN LATERAL (
    SELECT c.id, c.snoozed_until, row_number() OVER (ORDER BY c.snoozed_until) AS place FROM conversations c
    WHERE c.tenant_id = e.tenant_id AND c.environment = e.environment AND ${isDue}
    ORDER BY c.snoozed_until LIMIT ${p.limit}
  ) AS due
  ORDER BY due.place, e.step, due.snoozed_until LIMIT ${p.limit}`;
  },
);

export const getConversationStatement = lookupSql(
  "get_conversation",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT ${conversationFields} FROM conversations
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

export const findAgentVersionStatement = lookupSql(
  "find_agent_version",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT id AS "agentId", published_version AS "agentVersion" FROM agents
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

const createParameters = {
  ...changeParameters,
  ...recordParameters,
  ...eventParameters,
  conversationId: "text",
  channelId: "text",
  subject: "text?",
  priority: "Priority",
  tags: "text[]",
  metadata: "jsonb",
  externalId: "text?",
  // The first message, if there is one.
  messageId: "text?",
  direction: "Direction?",
  authorType: "AuthorType?",
  authorId: "text?",
  authorName: "text?",
  text: "text?",
  messageExternalId: "text?",
  messageMetadata: "jsonb?",
  preview: "text?",
  // Its event.
  messageEventId: "text?",
  messageEventType: "text?",
  messageEventPayload: "text?",
} as const;

const referenceParameters = {
  agentId: "text?",
  /** Of a customer who exists, it has the id and the name, and the externalId that it was found by. */
  ...newCustomerParameters,
  isNewCustomer: "boolean",
  customerEventId: "text?",
  customerEventType: "text?",
  customerEventPayload: "text?",
} as const;

type ReferencesOf = (
  table: string,
) => References<typeof referenceParameters & typeof changeParameters>;

/**
 * Creates a conversation, with its first message, idempotency record, events and deliveries. With
 * many, those whose key is locked are left out. One whose key it locked, and that it does not create,
 * has a record.
 * @param references if the conversation has a customer or an agent. What exists is locked first, and
 * nothing is created if the customer has changed since it was read, or the externalId of a new one is
 * taken. With many, conversations with a locked customer or agent are left out.
 */
function createConversation(
  { input, of, isMany }: ChangeText<typeof createParameters>,
  references?: ReferencesOf,
): string {
  const source = references ? "target" : "input";
  const go = of("go");
  const messageEvent = {
    eventId: go.messageEventId,
    eventType: go.messageEventType,
    eventPayload: go.messageEventPayload,
    eventConversationId: go.conversationId,
  };
  const r = references?.("input");
  const refers = references?.("go");
  const customerEvent = refers && {
    eventId: refers.customerEventId,
    eventType: refers.customerEventType,
    eventPayload: refers.customerEventPayload,
    eventConversationId: "NULL",
  };
  const state = `jsonb_build_object('channelId', ${go.channelId}, 'tags', ${go.tags}, 'priority', ${go.priority}, 'assigneeId', NULL, 'agentId', ${refers?.agentId ?? "NULL"})`;
  return `
  WITH input AS MATERIALIZED (${input}),
  ${
    r
      ? `target AS MATERIALIZED (
    SELECT * FROM input WHERE CASE WHEN customer_id IS NULL THEN true WHEN is_new_customer THEN ${hasFreeExternalId(r)}
        ELSE (SELECT true ${customerIn(r)} LIMIT 1 FOR NO KEY UPDATE${isMany ? " SKIP LOCKED" : ""}) END
      AND (agent_id IS NULL OR (SELECT true ${agentIn(r)} LIMIT 1 FOR KEY SHARE${isMany ? " SKIP LOCKED" : ""}))
  ),`
      : ""
  }
  ${writeFirst(of, source, isMany)},
  conversation AS (
    INSERT INTO conversations (tenant_id, environment, id, channel_id, subject, priority, tags, metadata, external_id,
      message_count, last_message_at, last_message_preview, created_at, updated_at${references ? ", customer_id, agent_id" : ""})
    SELECT tenant_id, environment, conversation_id, channel_id, subject, priority, tags,
      metadata, external_id, CASE WHEN message_id IS NULL THEN 0 ELSE 1 END,
      CASE WHEN message_id IS NOT NULL THEN at END, preview, at, at${references ? ", customer_id, agent_id" : ""} FROM go
  ),
  ${
    references
      ? `new_customer AS (${insertCustomers("go WHERE is_new_customer", 1)}
  ),
  customer AS (
    UPDATE customers c SET conversation_count = c.conversation_count + created.conversations FROM (
      SELECT tenant_id, environment, customer_id, count(*) AS conversations FROM go
      WHERE customer_id IS NOT NULL AND NOT is_new_customer GROUP BY tenant_id, environment, customer_id
    ) AS created
    WHERE c.tenant_id = created.tenant_id AND c.environment = created.environment AND c.id = created.customer_id
  ),`
      : ""
  }
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT tenant_id, environment, message_id, conversation_id, 1, direction, author_type, author_id,
      author_name, text, message_external_id, message_metadata, at FROM go WHERE message_id IS NOT NULL
  ),
  ${writeEvents(go, {
    conversations: customerEvent
      ? `CASE WHEN e.id <> ${customerEvent.eventId} IS NOT FALSE THEN ${state} END`
      : state,
    others: customerEvent ? [customerEvent, messageEvent] : [messageEvent],
    isMany,
  })}
  SELECT n, ARRAY(SELECT id FROM delivery WHERE event_id IN (${[go.eventId, go.messageEventId, ...(refers ? [refers.customerEventId] : [])].join(", ")})) AS deliveries, true AS "isMade" FROM go
  ${isMany ? "UNION ALL SELECT n, NULL, false FROM keyed WHERE n NOT IN (SELECT n FROM go)" : ""}
  ${
    isMany && r
      ? `UNION ALL SELECT n, NULL, false FROM input WHERE n NOT IN (SELECT n FROM target) AND (
      CASE WHEN customer_id IS NULL THEN false WHEN is_new_customer THEN NOT ${hasFreeExternalId(r)}
        ELSE (SELECT true ${customerIn(r)}) IS NULL END
      OR (agent_id IS NOT NULL AND (SELECT true ${agentIn(r)}) IS NULL))`
      : ""
  }`;
}

const customerIn = (p: ReturnType<ReferencesOf>): string =>
  `FROM customers c WHERE c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment} AND c.id = ${p.customerId}
      AND c.name IS NOT DISTINCT FROM ${p.customerName} AND (${p.customerExternalId} IS NULL OR c.external_id = ${p.customerExternalId})`;

const agentIn = (p: ReturnType<ReferencesOf>): string =>
  `FROM agents WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.agentId}`;

export const createConversationStatement = changeSql(
  "create_conversation",
  createParameters,
  (text) => createConversation(text),
);

/** The same for a conversation with a customer or an agent. The others would pay for these lookups. */
export const createReferringConversationStatement = changeSql(
  "create_referring_conversation",
  { ...createParameters, ...referenceParameters },
  (text) => createConversation(text, text.of),
);
