-- AlterTable
ALTER TABLE "deletions" ADD COLUMN     "idempotency_keys" TEXT[] DEFAULT ARRAY[]::TEXT[];
