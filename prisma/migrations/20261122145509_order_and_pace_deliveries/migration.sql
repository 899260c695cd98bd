-- CreateEnum
CREATE TYPE "WebhookOrdering" AS ENUM ('none', 'conversation');

-- CreateEnum
CREATE TYPE "OnExhausted" AS ENUM ('continue', 'hold');

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "accept_replies" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "max_per_second" INTEGER,
ADD COLUMN     "next_paced_at" TIMESTAMPTZ(6),
ADD COLUMN     "on_exhausted" "OnExhausted" NOT NULL DEFAULT 'continue',
ADD COLUMN     "ordering" "WebhookOrdering" NOT NULL DEFAULT 'none';

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "conversation_id" TEXT,
ADD COLUMN     "position" BIGINT;

-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "reply_message_id" TEXT,
ADD COLUMN     "reply_problem" TEXT;

-- The order of deliveries within a conversation. A transaction takes a number while it holds the lock of the conversation's row,
-- so numbers follow the order in which the conversation changed.
CREATE SEQUENCE "delivery_positions";

-- Only deliveries of webhooks with ordering have a conversation.
CREATE INDEX "deliveries_lanes_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "conversation_id", "position", "event_id")
  WHERE "conversation_id" IS NOT NULL AND "status" = 'PENDING';
CREATE INDEX "deliveries_held_lanes_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "conversation_id", "position", "event_id")
  WHERE "conversation_id" IS NOT NULL AND "status" = 'HELD';
