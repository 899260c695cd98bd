-- without a transaction
-- If more snoozed conversations are due than a batch takes, environments take turns.
DROP INDEX CONCURRENTLY IF EXISTS "conversations_snoozed_by_environment_idx";
CREATE INDEX CONCURRENTLY "conversations_snoozed_by_environment_idx" ON "conversations" ("tenant_id", "environment", "snoozed_until")
  WHERE "snoozed_until" IS NOT NULL;
