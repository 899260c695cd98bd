-- CreateTable
CREATE TABLE "retention_settings" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "conversations" INTEGER,
    "events" INTEGER,
    "request_logs" INTEGER,
    "attempts" INTEGER,
    "after_delivery_id" TEXT NOT NULL DEFAULT '',
    "next_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "retention_settings_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateIndex
CREATE INDEX "retention_settings_next_at_idx" ON "retention_settings"("next_at");
