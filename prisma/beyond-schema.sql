
-- What schema.prisma has no words for. Each part stands in the migration that brought it, and here so that writing a single
-- first migration anew keeps it.

-- Full text, in no particular language: 'simple' only lower-cases words, so that it is right for every tenant's language
-- and 2 versions of a product number stay 2. The knowledge base's id is one more word of each chunk, which the parser can
-- make of nobody's text: a search asks for it too, and the index then reads that base's entries and no other tenant's.
ALTER TABLE "document_chunks" ADD COLUMN "search" tsvector NOT NULL
  GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, "text") || array_to_tsvector(ARRAY["knowledge_base_id"])) STORED;

CREATE INDEX "document_chunks_search_idx" ON "document_chunks" USING GIN ("search");

-- Attempts that a person asked for are few among very many deliveries, and found without a glance at the others.
CREATE INDEX "deliveries_requested_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "requested_at")
  WHERE "requested_at" IS NOT NULL;

-- Usage counts messages by direction. With it in the key's own index, that is read there alone, and writing a message
-- costs no index more.
ALTER TABLE "messages" DROP CONSTRAINT "messages_pkey",
  ADD CONSTRAINT "messages_pkey" PRIMARY KEY ("tenant_id", "environment", "id") INCLUDE ("direction");

-- Likewise the statuses of requests, which are drawn over time.
ALTER TABLE "request_logs" DROP CONSTRAINT "request_logs_pkey",
  ADD CONSTRAINT "request_logs_pkey" PRIMARY KEY ("tenant_id", "environment", "id") INCLUDE ("status");

-- The audit log is only ever added to. Removing a whole tenant is for the owner of the tables (prisma/roles.ts), who disables
-- this for the moment.
-- (\073 is a semicolon: Prisma's engine cuts a migration at every one that it sees, also inside of a function.)
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN RAISE EXCEPTION ''% is append-only'', TG_TABLE_NAME\073 END\073';

CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- Deliveries are looked for by how their last attempt ended. Those that succeeded, nearly all, cost this index nothing.
CREATE INDEX "deliveries_response_class_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "response_class", "id")
  WHERE "response_class" <> 2;

-- Stored answers that hold a secret are few among all that are stored, and found when the master key changes.
CREATE INDEX "idempotency_records_encrypted_idx" ON "idempotency_records" ("tenant_id", "environment", "key")
  WHERE "is_encrypted";

-- Refused and failed requests are few among all, and looked for most, as are those with a certain idempotency key.
CREATE INDEX "request_logs_errors_idx" ON "request_logs" ("tenant_id", "environment", "id") WHERE "status" >= 400;

CREATE INDEX "request_logs_idempotency_key_idx" ON "request_logs" ("tenant_id", "environment", "idempotency_key", "id")
  WHERE "idempotency_key" IS NOT NULL;

-- Customers are found by the beginnings of their words (lib/customers/search-words.ts). The tenant's id is one more word,
-- in capitals as none of the others is: a search asks for it too, and reads no other tenant's entries.
CREATE INDEX "customers_search_idx" ON "customers" USING GIN (array_to_tsvector(array_append("search_words", upper("tenant_id"))));

-- Documents are added up by the day on which they were stored, and so is their size, from this index alone.
CREATE INDEX "documents_stored_idx" ON "documents" ("tenant_id", "environment", "created_at") INCLUDE ("size_bytes");

-- Conversations that somebody has are found in the inbox's order. The others, nearly all, cost this index nothing.
CREATE INDEX "conversations_assignee_idx" ON "conversations" ("tenant_id", "environment", "assignee_id", "updated_at", "id")
  WHERE "assignee_id" IS NOT NULL;

-- A client may continue after an event that was deleted: its position in the feed is remembered, whatever deletes it.
-- (\073 is a semicolon: Prisma's engine cuts a migration at every one that it sees, also inside of a function.)
CREATE FUNCTION "remember_purged_events"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN INSERT INTO purged_events (tenant_id, environment, id, xact) SELECT tenant_id, environment, id, xact FROM gone ON CONFLICT DO NOTHING\073 RETURN NULL\073 END\073';

CREATE TRIGGER "events_remember_purged" AFTER DELETE ON "events" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_purged_events"();

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

-- Conversations are listed by tag from a table that follows their own column, whoever writes it.
CREATE FUNCTION "follow_conversation_tags"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    IF TG_OP <> ''INSERT'' THEN
      DELETE FROM conversation_tags WHERE tenant_id = OLD.tenant_id AND environment = OLD.environment AND conversation_id = OLD.id AND tag = ANY (OLD.tags)\073
    END IF\073
    IF TG_OP <> ''DELETE'' THEN
      INSERT INTO conversation_tags (tenant_id, environment, tag, conversation_id)
        SELECT DISTINCT NEW.tenant_id, NEW.environment, tag, NEW.id FROM unnest(NEW.tags) AS tag\073
    END IF\073
    RETURN NULL\073
  END\073';

CREATE TRIGGER "conversations_tags_inserted" AFTER INSERT ON "conversations"
  FOR EACH ROW WHEN (NEW.tags <> '{}') EXECUTE FUNCTION "follow_conversation_tags"();

CREATE TRIGGER "conversations_tags_updated" AFTER UPDATE OF "tags" ON "conversations"
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION "follow_conversation_tags"();

CREATE TRIGGER "conversations_tags_deleted" AFTER DELETE ON "conversations"
  FOR EACH ROW WHEN (OLD.tags <> '{}') EXECUTE FUNCTION "follow_conversation_tags"();

-- Conversations that changed long after they began are few: updatedSince finds those here that began before it.
CREATE INDEX "conversations_long_lived_idx" ON "conversations" ("tenant_id", "environment", "updated_at", "id")
  WHERE "updated_at" - "created_at" > interval '12 hours';
