-- AlterEnum
ALTER TYPE "NotificationKind" ADD VALUE 'QUOTA';

-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "quota_percent" INTEGER,
ALTER COLUMN "conversation_id" DROP NOT NULL,
ALTER COLUMN "actor_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "response_headers" TEXT;

-- CreateTable
CREATE TABLE "quota_warnings" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "month" TEXT NOT NULL,
    "plan" "Plan" NOT NULL,
    "percent" INTEGER NOT NULL,
    "stored_bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quota_warnings_pkey" PRIMARY KEY ("tenant_id","environment","month","plan","percent")
);

-- CreateIndex
CREATE INDEX "quota_warnings_created_at_idx" ON "quota_warnings"("created_at");
