-- without a transaction
DROP INDEX CONCURRENTLY IF EXISTS "customers_tenant_id_environment_updated_at_id_idx";
CREATE INDEX CONCURRENTLY "customers_tenant_id_environment_updated_at_id_idx" ON "customers"("tenant_id", "environment", "updated_at", "id");

-- The dashboard sorts customers by their display names, without case and accents (sortName in lib/customers/service.sql.ts).
DROP INDEX CONCURRENTLY IF EXISTS "customers_name_idx";
CREATE INDEX CONCURRENTLY "customers_name_idx" ON "customers" ("tenant_id", "environment",
  left(lower(regexp_replace(normalize(coalesce("name", "email", "phone", "external_id", '') COLLATE "C", NFKD), '[\u0300-\u036f]', '', 'g')), 100), "id");
