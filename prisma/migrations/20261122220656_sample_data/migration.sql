-- AlterTable
ALTER TABLE "tenants" ADD COLUMN     "sample_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
