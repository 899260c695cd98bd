-- AlterTable
ALTER TABLE "tenant_deletions" ADD COLUMN     "last_search_change_id" BIGINT;
