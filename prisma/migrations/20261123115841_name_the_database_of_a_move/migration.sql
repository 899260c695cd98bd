-- AlterTable
ALTER TABLE "tenant_moves" ADD COLUMN     "target_database" TEXT;
