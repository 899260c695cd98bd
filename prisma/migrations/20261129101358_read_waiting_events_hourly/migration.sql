-- AlterTable
ALTER TABLE "retention_settings" ADD COLUMN     "events_pass_started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
