-- without a transaction
-- The overview asks whether any key has ever succeeded, which is false for as long as nothing was done.
DROP INDEX CONCURRENTLY IF EXISTS "api_keys_succeeded_idx";
CREATE INDEX CONCURRENTLY "api_keys_succeeded_idx" ON "api_keys" ("tenant_id", "environment") WHERE "first_succeeded_at" IS NOT NULL;
