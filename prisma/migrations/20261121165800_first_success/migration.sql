-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "first_succeeded_at" TIMESTAMPTZ(3);

-- Of the time before, there is what is still counted by the hour.
UPDATE "api_keys" k SET "first_succeeded_at" = h."hour"
FROM (
  SELECT "tenant_id", "environment", "api_key_id", min("hour") AS "hour" FROM "request_hours" WHERE "succeeded" > 0
  GROUP BY "tenant_id", "environment", "api_key_id"
) h
WHERE h."tenant_id" = k."tenant_id" AND h."environment" = k."environment" AND h."api_key_id" = k."id";
