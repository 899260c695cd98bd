-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "gone_url" TEXT;
