-- CreateTable
CREATE TABLE "usage_writers" (
    "id" TEXT NOT NULL,
    "last_batch" INTEGER NOT NULL,
    "written_on" DATE NOT NULL,

    CONSTRAINT "usage_writers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "usage_writers_written_on_idx" ON "usage_writers"("written_on");
