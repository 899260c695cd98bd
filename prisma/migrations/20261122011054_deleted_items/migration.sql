-- CreateTable
CREATE TABLE "deleted_items" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "parent_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_items_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "deleted_items_deleted_at_idx" ON "deleted_items"("deleted_at");

-- A client may continue a list after an item that was deleted: its id is remembered, whatever deletes it. The argument is the
-- column of the item whose list it was in.
CREATE FUNCTION "remember_deleted_items"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN INSERT INTO deleted_items (tenant_id, environment, id, parent_id) SELECT tenant_id, environment, id, to_jsonb(gone) ->> TG_ARGV[0] FROM gone ON CONFLICT DO NOTHING\073 RETURN NULL\073 END\073';

CREATE TRIGGER "conversations_remember_deleted" AFTER DELETE ON "conversations" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('');

CREATE TRIGGER "messages_remember_deleted" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('conversation_id');

CREATE TRIGGER "customers_remember_deleted" AFTER DELETE ON "customers" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('');

CREATE TRIGGER "agents_remember_deleted" AFTER DELETE ON "agents" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('');

CREATE TRIGGER "knowledge_bases_remember_deleted" AFTER DELETE ON "knowledge_bases" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('');

CREATE TRIGGER "documents_remember_deleted" AFTER DELETE ON "documents" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('knowledge_base_id');

CREATE TRIGGER "webhooks_remember_deleted" AFTER DELETE ON "webhooks" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('');

CREATE TRIGGER "deliveries_remember_deleted" AFTER DELETE ON "deliveries" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('webhook_id');
