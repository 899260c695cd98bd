-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "header_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "sealed_headers" TEXT;
