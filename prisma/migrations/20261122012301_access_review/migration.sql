-- AlterEnum
ALTER TYPE "DisabledReason" ADD VALUE 'UNCONFIRMED';

-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "invitations" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "mails" ADD COLUMN     "sender_id" TEXT,
ADD COLUMN     "tenant_id" TEXT;

-- CreateTable
CREATE TABLE "email_verifications" (
    "user_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_verifications_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "email_verifications_token_hash_key" ON "email_verifications"("token_hash");

-- CreateIndex
CREATE INDEX "mails_recipient_created_at_idx" ON "mails"("recipient", "created_at");

-- CreateIndex
CREATE INDEX "mails_tenant_id_created_at_idx" ON "mails"("tenant_id", "created_at");

-- CreateIndex
CREATE INDEX "mails_sender_id_created_at_idx" ON "mails"("sender_id", "created_at");

-- AddForeignKey
ALTER TABLE "email_verifications" ADD CONSTRAINT "email_verifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
