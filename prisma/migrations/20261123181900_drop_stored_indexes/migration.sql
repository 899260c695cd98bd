-- without a transaction

-- Usage reads storage_days instead.
DROP INDEX CONCURRENTLY IF EXISTS "documents_stored_idx";
DROP INDEX CONCURRENTLY IF EXISTS "files_stored_idx";
