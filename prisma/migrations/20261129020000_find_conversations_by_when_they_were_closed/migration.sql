-- without a transaction
-- Retention deletes conversations some days after they were closed.
DROP INDEX CONCURRENTLY IF EXISTS "conversations_closed_idx";
CREATE INDEX CONCURRENTLY "conversations_closed_idx" ON "conversations" ("tenant_id", "environment", "closed_at", "id")
  WHERE "status" = 'CLOSED';
