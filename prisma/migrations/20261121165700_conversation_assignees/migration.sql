-- Conversations that somebody has are found in the inbox's order. The others, nearly all, cost this index nothing.
CREATE INDEX "conversations_assignee_idx" ON "conversations" ("tenant_id", "environment", "assignee_id", "updated_at", "id")
  WHERE "assignee_id" IS NOT NULL;
