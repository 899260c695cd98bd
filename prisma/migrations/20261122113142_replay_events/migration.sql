-- AlterEnum
ALTER TYPE "BacklogAction" ADD VALUE 'REPLAY';

-- AlterTable
ALTER TABLE "backlog_tasks" ADD COLUMN     "delivery_statuses" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[];
