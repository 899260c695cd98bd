-- AlterEnum
ALTER TYPE "BacklogAction" ADD VALUE 'DELETE';

-- DropIndex
DROP INDEX "events_created_at_idx";

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '30 days'::interval);

-- CreateTable
CREATE TABLE "webhook_warnings" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "mailed_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_warnings_pkey" PRIMARY KEY ("tenant_id","environment","webhook_id","failures","created_at")
);

-- CreateIndex
CREATE INDEX "webhook_warnings_created_at_idx" ON "webhook_warnings"("created_at");

-- CreateIndex
CREATE INDEX "events_expires_at_idx" ON "events"("expires_at");

-- AddForeignKey
ALTER TABLE "webhook_warnings" ADD CONSTRAINT "webhook_warnings_tenant_id_environment_webhook_id_fkey" FOREIGN KEY ("tenant_id", "environment", "webhook_id") REFERENCES "webhooks"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Stored answers that hold a secret are few among all that are stored, and found when the master key changes.
CREATE INDEX "idempotency_records_encrypted_idx" ON "idempotency_records" ("tenant_id", "environment", "key")
  WHERE "is_encrypted";
