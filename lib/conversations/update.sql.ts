import { version, versionedUpdateSql } from "@/lib/events/versioned-update.sql";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { conversationFields } from "./service.sql";

export const findToUpdateStatement = lookupSql(
  "find_conversation_to_update",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT ${conversationFields}, ${version} FROM conversations
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

export const updateConversationStatement = versionedUpdateSql(
  "update_conversation",
  "conversations",
  {
    status: "ConversationStatus",
    agentId: "text?",
    assigneeId: "text?",
    subject: "text?",
    priority: "Priority",
    tags: "text[]",
    metadata: "jsonb",
    externalId: "text?",
    snoozedUntil: "timestamptz?",
    resolvedAt: "timestamptz?",
    closedAt: "timestamptz?",
  },
);
