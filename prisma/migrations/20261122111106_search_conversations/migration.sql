-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "xact" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- CreateTable
CREATE TABLE "search_entries" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "segment_id" BIGINT NOT NULL,
    "header" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "search_entries_pkey" PRIMARY KEY ("tenant_id","environment","conversation_id","message_id")
);

-- CreateTable
CREATE TABLE "search_segments" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "after_id" TEXT NOT NULL,
    "entry_count" INTEGER NOT NULL,

    CONSTRAINT "search_segments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "search_changes" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "target_id" TEXT NOT NULL,
    "after_id" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "search_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "search_progress" (
    "id" INTEGER NOT NULL,
    "xact" xid8 NOT NULL,
    "message_id" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "search_progress_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "search_segments_tenant_id_environment_after_id_key" ON "search_segments"("tenant_id", "environment", "after_id");

-- CreateIndex
CREATE INDEX "messages_xact_id_idx" ON "messages"("xact", "id");

-- The words of an entry, each with the number of its segment, so that a search reads the words of one segment only, and none of
-- another tenant. lib/conversations/search.sql.ts has the same expression. Without fastupdate, a search never reads a list of
-- entries that are not in the index yet; a job writes them, so it does not matter that this takes longer.
CREATE INDEX "search_entries_words_idx" ON "search_entries" USING GIN (
  array_to_tsvector(string_to_array(substr(replace(replace("header", ' |', '') || "text", ' ', ' ' || "segment_id" || '|'), 2), ' '))
) WITH (fastupdate = off);

INSERT INTO "search_progress" ("id", "xact") VALUES (1, '0');

CREATE FUNCTION "note_search_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_changes (tenant_id, environment, target_id) VALUES (NEW.tenant_id, NEW.environment, NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_search_inserted" AFTER INSERT ON "conversations"
  FOR EACH ROW WHEN (NEW.subject IS NOT NULL OR NEW.customer_id IS NOT NULL) EXECUTE FUNCTION "note_search_change"();

CREATE TRIGGER "conversations_search_updated" AFTER UPDATE OF "subject", "customer_id" ON "conversations"
  FOR EACH ROW WHEN (OLD.subject IS DISTINCT FROM NEW.subject OR OLD.customer_id IS DISTINCT FROM NEW.customer_id)
  EXECUTE FUNCTION "note_search_change"();

CREATE TRIGGER "customers_search_updated" AFTER UPDATE OF "name", "email", "phone", "external_id" ON "customers"
  FOR EACH ROW WHEN ((OLD.name, OLD.email, OLD.phone, OLD.external_id) IS DISTINCT FROM (NEW.name, NEW.email, NEW.phone, NEW.external_id))
  EXECUTE FUNCTION "note_search_change"();

-- What is deleted or redacted is found no longer, no matter which statement does it. The arguments are the columns of the
-- conversation and of the message.
CREATE FUNCTION "delete_search_entries"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'messages' THEN
    DELETE FROM search_entries e USING gone
      WHERE e.tenant_id = gone.tenant_id AND e.environment = gone.environment AND e.conversation_id = gone.conversation_id AND e.message_id = gone.id;
  ELSE
    DELETE FROM search_entries e USING gone
      WHERE e.tenant_id = gone.tenant_id AND e.environment = gone.environment AND e.conversation_id = gone.id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "messages_search_deleted" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_search_entries"();

CREATE TRIGGER "conversations_search_deleted" AFTER DELETE ON "conversations" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_search_entries"();

CREATE FUNCTION "delete_search_entry"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_entries
    WHERE tenant_id = NEW.tenant_id AND environment = NEW.environment AND conversation_id = NEW.conversation_id AND message_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "messages_search_redacted" AFTER UPDATE OF "text" ON "messages"
  FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION "delete_search_entry"();
