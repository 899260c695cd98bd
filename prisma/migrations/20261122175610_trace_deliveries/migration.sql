-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "traceparent" TEXT;
