-- AlterTable
ALTER TABLE "deletions" ADD COLUMN     "conversation_id" TEXT,
ADD COLUMN     "posted_at" TIMESTAMPTZ(3);
