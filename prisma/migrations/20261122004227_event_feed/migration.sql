-- DropIndex
DROP INDEX "events_tenant_id_environment_type_id_idx";

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "xact" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- CreateTable
CREATE TABLE "purged_events" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "xact" xid8 NOT NULL,
    "purged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purged_events_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "purged_events_purged_at_idx" ON "purged_events"("purged_at");

-- CreateIndex
CREATE INDEX "events_tenant_id_environment_xact_id_idx" ON "events"("tenant_id", "environment", "xact", "id");

-- CreateIndex
CREATE INDEX "events_tenant_id_environment_type_xact_id_idx" ON "events"("tenant_id", "environment", "type", "xact", "id");

-- A client may continue after an event that was deleted: its position in the feed is remembered, whatever deletes it.
-- (\073 is a semicolon: Prisma's engine cuts a migration at every one that it sees, also inside of a function.)
CREATE FUNCTION "remember_purged_events"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN INSERT INTO purged_events (tenant_id, environment, id, xact) SELECT tenant_id, environment, id, xact FROM gone ON CONFLICT DO NOTHING\073 RETURN NULL\073 END\073';

CREATE TRIGGER "events_remember_purged" AFTER DELETE ON "events" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_purged_events"();
