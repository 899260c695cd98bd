-- AlterTable
ALTER TABLE "request_logs" ADD COLUMN     "is_replay" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "user_agent" TEXT;

-- CreateTable
CREATE TABLE "request_hours" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "succeeded" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "request_hours_pkey" PRIMARY KEY ("tenant_id","environment","hour","api_key_id")
);

-- CreateIndex
CREATE INDEX "request_hours_tenant_id_environment_api_key_id_hour_idx" ON "request_hours"("tenant_id", "environment", "api_key_id", "hour");

-- CreateIndex
CREATE INDEX "request_hours_hour_idx" ON "request_hours"("hour");

-- CreateIndex
CREATE INDEX "request_logs_tenant_id_environment_api_key_id_id_idx" ON "request_logs"("tenant_id", "environment", "api_key_id", "id");

-- CreateIndex
CREATE INDEX "audit_entries_tenant_id_target_id_sequence_idx" ON "audit_entries"("tenant_id", "target_id", "sequence");

-- Refused and failed requests are few among all, and looked for most, as are those with a certain idempotency key.
CREATE INDEX "request_logs_errors_idx" ON "request_logs" ("tenant_id", "environment", "id") WHERE "status" >= 400;

CREATE INDEX "request_logs_idempotency_key_idx" ON "request_logs" ("tenant_id", "environment", "idempotency_key", "id")
  WHERE "idempotency_key" IS NOT NULL;

-- What the log holds already.
INSERT INTO "request_hours" ("tenant_id", "environment", "hour", "api_key_id", "succeeded", "refused", "failed")
SELECT "tenant_id", "environment", date_trunc('hour', "created_at", 'UTC'), "api_key_id",
  count(*) FILTER (WHERE "status" < 400), count(*) FILTER (WHERE "status" BETWEEN 400 AND 499), count(*) FILTER (WHERE "status" >= 500)
FROM "request_logs" GROUP BY 1, 2, 3, 4;
