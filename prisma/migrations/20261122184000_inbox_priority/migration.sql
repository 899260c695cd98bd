-- The inbox by priority: only conversations whose priority is not NORMAL are in this index.
CREATE INDEX "conversations_priority_idx" ON "conversations" ("tenant_id", "environment", "priority", "updated_at", "id")
  WHERE "priority" <> 'NORMAL';
