-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "gone_version" TIMESTAMPTZ(3);
