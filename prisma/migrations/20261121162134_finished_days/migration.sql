-- AlterTable
ALTER TABLE "tenants" ADD COLUMN     "counted_until" DATE NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date;

-- CreateTable
CREATE TABLE "conversation_days" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "conversations_created" INTEGER NOT NULL,
    "messages_received" INTEGER NOT NULL,
    "messages_sent" INTEGER NOT NULL,

    CONSTRAINT "conversation_days_pkey" PRIMARY KEY ("tenant_id","environment","day")
);

-- CreateIndex
CREATE INDEX "tenants_counted_until_idx" ON "tenants"("counted_until");

-- From the beginning on.
UPDATE "tenants" SET "counted_until" = ("created_at" AT TIME ZONE 'UTC')::date;
