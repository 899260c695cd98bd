CREATE TYPE "SignatureScheme" AS ENUM ('hmac', 'ed25519', 'both');
ALTER TABLE "webhooks" ADD COLUMN     "signature_scheme" "SignatureScheme" NOT NULL DEFAULT 'hmac';

-- safe: few webhooks have a key pair, and an environment has at most 20 webhooks.
UPDATE "webhooks" w SET "signature_scheme" = 'both'
WHERE EXISTS (
  SELECT 1 FROM "webhook_secrets" s
  WHERE s."tenant_id" = w."tenant_id" AND s."environment" = w."environment" AND s."webhook_id" = w."id" AND s."public_key" IS NOT NULL
);
