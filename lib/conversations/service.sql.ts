import {
  changeParameters,
  eventParameters,
  isFirst,
  recordParameters,
  writeEvents,
  writeRecord,
} from "@/lib/events/outbox.sql";
import { sql } from "@/lib/platform/sql";
import type { ConversationModel } from "@/prisma/generated/models";

export type ConversationRow = ConversationModel;

/** A conversation as the API returns it, in the same order, so that it is printed as it was read. */
export const conversationFields = `id, environment, status, channel_id AS "channelId",
  customer_id AS "customerId", agent_id AS "agentId", assignee_id AS "assigneeId", subject, priority, tags, metadata,
  external_id AS "externalId", message_count AS "messageCount", last_message_at AS "lastMessageAt",
  last_message_preview AS "lastMessagePreview", snoozed_until AS "snoozedUntil", resolved_at AS "resolvedAt",
  closed_at AS "closedAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

export const conversationColumns = `tenant_id AS "tenantId", ${conversationFields}`;

export const getConversationStatement = sql(
  "get_conversation",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT ${conversationFields} FROM conversations
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

/** Creates a conversation, with its first message, idempotency record, events and deliveries. */
export const createConversationStatement = sql(
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
  },
  (p) => `
  WITH ${writeRecord(p, { from: "(SELECT 1) AS always" })},
  go AS (SELECT 1 WHERE ${isFirst(p)}),
  conversation AS (
    INSERT INTO conversations (tenant_id, environment, id, channel_id, subject, priority, tags, metadata, external_id,
      message_count, last_message_at, last_message_preview, created_at, updated_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.conversationId}, ${p.channelId}, ${p.subject}, ${p.priority}, ${p.tags},
      ${p.metadata}, ${p.externalId}, CASE WHEN ${p.messageId} IS NULL THEN 0 ELSE 1 END,
      CASE WHEN ${p.messageId} IS NOT NULL THEN ${p.at} END, ${p.preview}, ${p.at}, ${p.at} FROM go
  ),
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.messageId}, ${p.conversationId}, 1, ${p.direction}, ${p.authorType}, ${p.authorId},
      ${p.authorName}, ${p.text}, ${p.messageExternalId}, ${p.messageMetadata}, ${p.at} FROM go WHERE ${p.messageId} IS NOT NULL
  ),
  ${writeEvents(p, {
    conversations: `jsonb_build_object('channelId', ${p.channelId}, 'tags', ${p.tags}, 'priority', ${p.priority}, 'assigneeId', NULL, 'agentId', NULL)`,
  })}
  SELECT ARRAY(SELECT id FROM delivery) AS deliveries FROM go`,
);
