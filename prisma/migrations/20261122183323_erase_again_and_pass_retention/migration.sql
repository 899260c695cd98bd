-- DropIndex
DROP INDEX "erasures_tenant_id_environment_customer_id_key";

-- AlterTable
ALTER TABLE "retention_settings" ADD COLUMN     "after_event_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "pass_started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateIndex
CREATE INDEX "erasures_tenant_id_environment_customer_id_id_idx" ON "erasures"("tenant_id", "environment", "customer_id", "id");

-- Environments take turns, and the oldest of each comes first.
DROP INDEX "deletions_unfinished_idx";
CREATE INDEX "deletions_unfinished_idx" ON "deletions" ("tenant_id", "environment", "deleted_at") WHERE "finished_at" IS NULL;
