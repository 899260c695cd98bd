-- AlterTable
ALTER TABLE "documents" ADD COLUMN     "first_position" INTEGER NOT NULL DEFAULT 0;
