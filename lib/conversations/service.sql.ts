import {
  changeParameters,
  eventParameters,
  isFirst,
  locksKey,
  recordParameters,
  writeEvents,
  writeRecord,
} from "@/lib/events/outbox.sql";
import { changeSql } from "@/lib/platform/change-sql";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";
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

/**
 * Creates a conversation, with its first message, idempotency record, events and deliveries. With
 * many, those whose key is locked are left out. One whose key it locked, and that it does not create,
 * has a record.
 */
export const createConversationStatement = changeSql(
  "create_conversation",
  {
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
  },
  ({ input, of, isMany }) => {
    const from = isMany ? "locked" : "input";
    const [i, f, go] = [of("input"), of(from), of("go")];
    const messageEvent = {
      eventId: go.messageEventId,
      eventType: go.messageEventType,
      eventPayload: go.messageEventPayload,
      eventConversationId: go.conversationId,
    };
    return `
  WITH input AS MATERIALIZED (${input}),
  ${isMany ? `locked AS MATERIALIZED (SELECT * FROM input WHERE ${locksKey(i)}),` : ""}
  ${writeRecord(f, { from, lock: isMany ? "held" : "wait" })},
  go AS (SELECT * FROM ${from} WHERE ${isFirst(f)}),
  conversation AS (
    INSERT INTO conversations (tenant_id, environment, id, channel_id, subject, priority, tags, metadata, external_id,
      message_count, last_message_at, last_message_preview, created_at, updated_at)
    SELECT tenant_id, environment, conversation_id, channel_id, subject, priority, tags,
      metadata, external_id, CASE WHEN message_id IS NULL THEN 0 ELSE 1 END,
      CASE WHEN message_id IS NOT NULL THEN at END, preview, at, at FROM go
  ),
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT tenant_id, environment, message_id, conversation_id, 1, direction, author_type, author_id,
      author_name, text, message_external_id, message_metadata, at FROM go WHERE message_id IS NOT NULL
  ),
  ${writeEvents(go, {
    conversations: `jsonb_build_object('channelId', ${go.channelId}, 'tags', ${go.tags}, 'priority', ${go.priority}, 'assigneeId', NULL, 'agentId', NULL)`,
    second: messageEvent,
    isMany,
  })}
  SELECT n, ARRAY(SELECT id FROM delivery WHERE event_id IN (${go.eventId}, ${go.messageEventId})) AS deliveries, true AS "isMade" FROM go
  ${isMany ? "UNION ALL SELECT n, NULL, false FROM locked WHERE n NOT IN (SELECT n FROM go)" : ""}`;
  },
);
