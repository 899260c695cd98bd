-- without a transaction
ALTER TABLE "api_keys" ADD COLUMN IF NOT EXISTS "is_capped_by_plan" BOOLEAN NOT NULL DEFAULT false;
-- Nothing recorded who chose a limit. One above the plan's counts as an operator's, so that no such key becomes slower.
-- The keys of an organization that moves, or has moved, cannot be changed here.
-- in batches
UPDATE "api_keys" SET "is_capped_by_plan" = true WHERE ctid = ANY (ARRAY (
  SELECT k.ctid FROM "api_keys" k JOIN "tenants" t ON t.id = k.tenant_id
  WHERE NOT k.is_capped_by_plan
    AND k.rate_limit_per_minute <= CASE t.plan WHEN 'FREE' THEN 60 WHEN 'PRO' THEN 600 WHEN 'SCALE' THEN 6000 END
    AND t.moved_to IS NULL AND NOT EXISTS (SELECT FROM "tenant_moves" m WHERE m.tenant_id = k.tenant_id)
  LIMIT 1000));
