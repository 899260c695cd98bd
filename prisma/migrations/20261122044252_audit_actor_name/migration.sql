-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "actor_name" TEXT;
