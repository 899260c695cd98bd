-- AlterTable
ALTER TABLE "alert_targets" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);
