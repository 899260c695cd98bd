-- AlterTable
ALTER TABLE "webhook_secrets" ADD COLUMN     "public_key" TEXT;

-- Anyone can read the public keys of a webhook by its id alone. Most webhooks have none.
CREATE INDEX "webhook_secrets_public_idx" ON "webhook_secrets" ("webhook_id") WHERE "public_key" IS NOT NULL;
