-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "response_class" SMALLINT;

-- CreateTable
CREATE TABLE "webhook_hours" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_hours_pkey" PRIMARY KEY ("tenant_id","environment","webhook_id","hour")
);

-- CreateIndex
CREATE INDEX "webhook_hours_hour_idx" ON "webhook_hours"("hour");


-- Deliveries are looked for by how their last attempt ended. Those that succeeded, nearly all, cost this index nothing.
CREATE INDEX "deliveries_response_class_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "response_class", "id")
  WHERE "response_class" <> 2;
