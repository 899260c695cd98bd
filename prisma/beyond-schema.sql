
-- What schema.prisma cannot express. Each part is also in the migration that introduced it. The initial migration ends with
-- this file.

-- Full-text search without a language: 'simple' only lowercases words, so it works for every tenant's language and keeps two
-- versions of a product number apart. The knowledge base's id is an extra word of each chunk, one that the parser never
-- produces from text. Every search includes it, so the index reads only that base's entries and no other tenant's.
ALTER TABLE "document_chunks" ADD COLUMN "search" tsvector NOT NULL
  GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, "text") || array_to_tsvector(ARRAY["knowledge_base_id"])) STORED;

CREATE INDEX "document_chunks_search_idx" ON "document_chunks" USING GIN ("search");

-- Attempts that a user requested are few among very many deliveries. This index finds them without reading the others.
CREATE INDEX "deliveries_requested_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "requested_at")
  WHERE "requested_at" IS NOT NULL;

-- Usage counts messages by direction. The primary key's index includes it, so the count reads that index alone and writing
-- a message maintains no extra index.
ALTER TABLE "messages" DROP CONSTRAINT "messages_pkey",
  ADD CONSTRAINT "messages_pkey" PRIMARY KEY ("tenant_id", "environment", "id") INCLUDE ("direction");

-- The chart of requests over time reads their statuses from the primary key's index in the same way.
ALTER TABLE "request_logs" DROP CONSTRAINT "request_logs_pkey",
  ADD CONSTRAINT "request_logs_pkey" PRIMARY KEY ("tenant_id", "environment", "id") INCLUDE ("status");

-- The audit log is append-only. Only the owner of the tables (prisma/roles.ts) can disable this trigger, to delete a whole
-- tenant.
-- (\073 is a semicolon. Prisma's engine splits a migration at every semicolon, even in a function or a comment.)
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN RAISE EXCEPTION ''% is append-only'', TG_TABLE_NAME\073 END\073';

CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- Filters deliveries by how their last attempt ended. Nearly all succeed, and those are not in this index.
CREATE INDEX "deliveries_response_class_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "response_class", "id")
  WHERE "response_class" <> 2;

-- Few stored responses contain a secret. This index finds them when the master key changes.
CREATE INDEX "idempotency_records_encrypted_idx" ON "idempotency_records" ("tenant_id", "environment", "key")
  WHERE "is_encrypted";

-- Rejected and failed requests are few and are searched for most often, as are requests with a given idempotency key.
CREATE INDEX "request_logs_errors_idx" ON "request_logs" ("tenant_id", "environment", "id") WHERE "status" >= 400;

CREATE INDEX "request_logs_idempotency_key_idx" ON "request_logs" ("tenant_id", "environment", "idempotency_key", "id")
  WHERE "idempotency_key" IS NOT NULL;

-- Customers are found by the prefixes of their words (lib/customers/search-words.ts). The tenant's id is an extra word, the
-- only one in capitals. Every search includes it, so it reads no other tenant's entries.
CREATE INDEX "customers_search_idx" ON "customers" USING GIN (array_to_tsvector(array_append("search_words", upper("tenant_id"))));

-- Every page of the dashboard says how much access is suspended. Most organizations have nothing in these indexes.
CREATE INDEX "api_keys_suspended_idx" ON "api_keys" ("tenant_id") WHERE "suspended_at" IS NOT NULL;
CREATE INDEX "webhooks_suspended_idx" ON "webhooks" ("tenant_id") WHERE "suspended_at" IS NOT NULL;

-- Usage counts documents and sums their size by the day they were stored, from this index alone.
CREATE INDEX "documents_stored_idx" ON "documents" ("tenant_id", "environment", "created_at") INCLUDE ("size_bytes");

-- Lists assigned conversations in the inbox's order. Nearly all conversations are unassigned and not in this index.
CREATE INDEX "conversations_assignee_idx" ON "conversations" ("tenant_id", "environment", "assignee_id", "updated_at", "id")
  WHERE "assignee_id" IS NOT NULL;

-- A client can continue the feed after an event that was deleted: a trigger records the event's position, no matter which
-- statement deletes it.
CREATE FUNCTION "remember_purged_events"() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN INSERT INTO purged_events (tenant_id, environment, id, xact) SELECT tenant_id, environment, id, xact FROM gone ON CONFLICT DO NOTHING\073 RETURN NULL\073 END\073';

CREATE TRIGGER "events_remember_purged" AFTER DELETE ON "events" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_purged_events"();

-- A client can continue a list after an item that was deleted: a trigger records the item's id, no matter which statement
-- deletes it. The argument is the column with the id of the list's parent.
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

-- Conversations are listed by tag from a table that triggers keep in sync with the column "tags".
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

-- Few conversations change long after they were created. updatedSince finds here those that were created before it.
CREATE INDEX "conversations_long_lived_idx" ON "conversations" ("tenant_id", "environment", "updated_at", "id")
  WHERE "updated_at" - "created_at" > interval '12 hours';
