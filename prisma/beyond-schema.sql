
-- What schema.prisma cannot express. Each part is also in the migration that introduced it. The initial migration ends with
-- this file.

-- The text search configuration of a language, which turns words into their stems and drops the most common ones. Without a
-- language, words are only lowercased.
CREATE FUNCTION "search_config"("Language") RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE $1
    WHEN 'da' THEN 'pg_catalog.danish'::regconfig WHEN 'de' THEN 'pg_catalog.german'::regconfig WHEN 'en' THEN 'pg_catalog.english'::regconfig
    WHEN 'es' THEN 'pg_catalog.spanish'::regconfig WHEN 'fi' THEN 'pg_catalog.finnish'::regconfig WHEN 'fr' THEN 'pg_catalog.french'::regconfig
    WHEN 'hu' THEN 'pg_catalog.hungarian'::regconfig WHEN 'it' THEN 'pg_catalog.italian'::regconfig WHEN 'nl' THEN 'pg_catalog.dutch'::regconfig
    WHEN 'no' THEN 'pg_catalog.norwegian'::regconfig WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig WHEN 'ro' THEN 'pg_catalog.romanian'::regconfig
    WHEN 'ru' THEN 'pg_catalog.russian'::regconfig WHEN 'sv' THEN 'pg_catalog.swedish'::regconfig WHEN 'tr' THEN 'pg_catalog.turkish'::regconfig
    ELSE 'pg_catalog.simple'::regconfig END
$$;

-- Full-text search in the language of the knowledge base. Without one, it works for every language and keeps two versions of a
-- product number apart. The knowledge base's id is an extra word of each chunk, one that the parser never produces from text.
-- Every search includes it, so the index reads only that base's entries and no other tenant's.
ALTER TABLE "document_chunks" ADD COLUMN "search" tsvector NOT NULL
  GENERATED ALWAYS AS (to_tsvector("search_config"("language"), "text") || array_to_tsvector(ARRAY["knowledge_base_id"])) STORED;

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

-- The receipts of deleted tenants are append-only. Only the owner of the tables (prisma/roles.ts) can disable this trigger.
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER "deleted_tenants_append_only" BEFORE UPDATE OR DELETE ON "deleted_tenants"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- So is the audit log, until a receipt names its last entry.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM deleted_tenants d WHERE d.tenant_id = OLD.tenant_id AND d.audit_entries >= OLD.sequence) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries"
  FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();

-- Deletes the oldest entries of a deleted tenant's audit log, at most `count`. Returns how many it deleted. The newest entry
-- goes last and must be the one that the receipt names, so the receipt replaces exactly this log.
CREATE FUNCTION "delete_audit_entries"("tenant" text, "count" int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  deleted int;
BEGIN
  IF EXISTS (SELECT FROM audit_entries a WHERE a.tenant_id = tenant) AND NOT EXISTS (
    SELECT FROM deleted_tenants d JOIN audit_entries a ON a.tenant_id = d.tenant_id AND a.sequence = d.audit_entries AND a.hash = d.audit_hash
    WHERE d.tenant_id = tenant AND NOT EXISTS (SELECT FROM audit_entries later WHERE later.tenant_id = tenant AND later.sequence > d.audit_entries)
  ) THEN
    RAISE EXCEPTION 'no receipt names the last audit entry of %', tenant;
  END IF;
  DELETE FROM audit_entries a WHERE a.tenant_id = tenant AND a.sequence = ANY (ARRAY(
    SELECT o.sequence FROM audit_entries o WHERE o.tenant_id = tenant ORDER BY o.sequence LIMIT count
  ));
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;

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

-- The dashboard sorts customers by their display names, without case and accents (sortName in lib/customers/service.sql.ts).
CREATE INDEX "customers_name_idx" ON "customers" ("tenant_id", "environment",
  left(lower(regexp_replace(normalize(coalesce("name", "email", "phone", "external_id", '') COLLATE "C", NFKD), '[\u0300-\u036f]', '', 'g')), 100), "id");

-- Every page of the dashboard says how much access is suspended. Most organizations have nothing in these indexes.
CREATE INDEX "api_keys_suspended_idx" ON "api_keys" ("tenant_id") WHERE "suspended_at" IS NOT NULL;
CREATE INDEX "webhooks_suspended_idx" ON "webhooks" ("tenant_id") WHERE "suspended_at" IS NOT NULL;

-- The overview asks whether any key has ever succeeded, which is false for as long as nothing was done.
CREATE INDEX "api_keys_succeeded_idx" ON "api_keys" ("tenant_id", "environment") WHERE "first_succeeded_at" IS NOT NULL;

-- Only conversations that have the value are in these indexes. Each message updates its conversation in all indexes that it is
-- in.
CREATE INDEX "conversations_customer_idx" ON "conversations" ("tenant_id", "environment", "customer_id", "id")
  WHERE "customer_id" IS NOT NULL;
CREATE INDEX "conversations_agent_idx" ON "conversations" ("tenant_id", "environment", "agent_id", "id")
  WHERE "agent_id" IS NOT NULL;
CREATE INDEX "conversations_external_id_idx" ON "conversations" ("tenant_id", "environment", "external_id", "id")
  WHERE "external_id" IS NOT NULL;
CREATE INDEX "conversations_priority_idx" ON "conversations" ("tenant_id", "environment", "priority", "updated_at", "id")
  WHERE "priority" <> 'NORMAL';
CREATE INDEX "conversations_snoozed_until_idx" ON "conversations" ("snoozed_until") WHERE "snoozed_until" IS NOT NULL;
-- If more snoozed conversations are due than a batch takes, environments take turns.
CREATE INDEX "conversations_snoozed_by_environment_idx" ON "conversations" ("tenant_id", "environment", "snoozed_until")
  WHERE "snoozed_until" IS NOT NULL;
-- Retention deletes conversations some days after they were closed.
CREATE INDEX "conversations_closed_idx" ON "conversations" ("tenant_id", "environment", "closed_at", "id")
  WHERE "status" = 'CLOSED';
-- In the order of the inbox.
CREATE INDEX "conversations_assignee_idx" ON "conversations" ("tenant_id", "environment", "assignee_id", "updated_at", "id")
  WHERE "assignee_id" IS NOT NULL;

-- While a tenant is deleted, with this setting, nothing needs to be remembered or counted of it.

-- A client can continue the feed after an event that was deleted: a trigger records the event's position, no matter which
-- statement deletes it.
CREATE FUNCTION "remember_purged_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO purged_events (tenant_id, environment, id, xact)
    SELECT tenant_id, environment, id, xact FROM gone ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "events_remember_purged" AFTER DELETE ON "events" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_purged_events"();

-- A client can continue a list after an item that was deleted: a trigger records the item's id, no matter which statement
-- deletes it. The argument is the column with the id of the list's parent.
CREATE FUNCTION "remember_deleted_items"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO deleted_items (tenant_id, environment, id, parent_id)
    SELECT tenant_id, environment, id, to_jsonb(gone) ->> TG_ARGV[0] FROM gone ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

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

-- A client can continue the list of members after one who has left. Both environments have the same list.
CREATE FUNCTION "remember_former_members"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_items (tenant_id, environment, id)
    SELECT tenant_id, environment, user_id FROM gone CROSS JOIN unnest(enum_range(NULL::"Environment")) AS every (environment)
    ON CONFLICT (tenant_id, environment, id) DO UPDATE SET deleted_at = excluded.deleted_at;
  RETURN NULL;
END $$;

CREATE TRIGGER "memberships_remember_former" AFTER DELETE ON "memberships" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_former_members"();

-- Conversations are listed by tag from a table that triggers keep in sync with the column "tags".
CREATE FUNCTION "follow_conversation_tags"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM conversation_tags WHERE tenant_id = OLD.tenant_id AND environment = OLD.environment AND conversation_id = OLD.id AND tag = ANY (OLD.tags);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO conversation_tags (tenant_id, environment, tag, conversation_id)
      SELECT DISTINCT NEW.tenant_id, NEW.environment, tag, NEW.id FROM unnest(NEW.tags) AS tag;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_tags_inserted" AFTER INSERT ON "conversations"
  FOR EACH ROW WHEN (NEW.tags <> '{}') EXECUTE FUNCTION "follow_conversation_tags"();

CREATE TRIGGER "conversations_tags_updated" AFTER UPDATE OF "tags" ON "conversations"
  FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION "follow_conversation_tags"();

CREATE TRIGGER "conversations_tags_deleted" AFTER DELETE ON "conversations"
  FOR EACH ROW WHEN (OLD.tags <> '{}') EXECUTE FUNCTION "follow_conversation_tags"();

-- Conversations and customers are listed by a key and value of their metadata from tables that triggers keep in sync with the
-- column "metadata". The arguments are the table and its column with the id.
CREATE FUNCTION "follow_metadata"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    EXECUTE format('DELETE FROM %1$I m USING jsonb_each_text($4) AS old
        WHERE m.tenant_id = $1 AND m.environment = $2 AND m.key = old.key AND m.value = old.value AND m.%2$I = $3', TG_ARGV[0], TG_ARGV[1])
      USING OLD.tenant_id, OLD.environment, OLD.id, OLD.metadata;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    EXECUTE format('INSERT INTO %1$I (tenant_id, environment, key, value, %2$I) SELECT $1, $2, key, value, $3 FROM jsonb_each_text($4)', TG_ARGV[0], TG_ARGV[1])
      USING NEW.tenant_id, NEW.environment, NEW.id, NEW.metadata;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_metadata_inserted" AFTER INSERT ON "conversations"
  FOR EACH ROW WHEN (NEW.metadata <> '{}') EXECUTE FUNCTION "follow_metadata"('conversation_metadata', 'conversation_id');

CREATE TRIGGER "conversations_metadata_updated" AFTER UPDATE OF "metadata" ON "conversations"
  FOR EACH ROW WHEN (OLD.metadata IS DISTINCT FROM NEW.metadata) EXECUTE FUNCTION "follow_metadata"('conversation_metadata', 'conversation_id');

CREATE TRIGGER "conversations_metadata_deleted" AFTER DELETE ON "conversations"
  FOR EACH ROW WHEN (OLD.metadata <> '{}') EXECUTE FUNCTION "follow_metadata"('conversation_metadata', 'conversation_id');

CREATE TRIGGER "customers_metadata_inserted" AFTER INSERT ON "customers"
  FOR EACH ROW WHEN (NEW.metadata <> '{}') EXECUTE FUNCTION "follow_metadata"('customer_metadata', 'customer_id');

CREATE TRIGGER "customers_metadata_updated" AFTER UPDATE OF "metadata" ON "customers"
  FOR EACH ROW WHEN (OLD.metadata IS DISTINCT FROM NEW.metadata) EXECUTE FUNCTION "follow_metadata"('customer_metadata', 'customer_id');

CREATE TRIGGER "customers_metadata_deleted" AFTER DELETE ON "customers"
  FOR EACH ROW WHEN (OLD.metadata <> '{}') EXECUTE FUNCTION "follow_metadata"('customer_metadata', 'customer_id');

-- Lists assigned conversations in the order of the API's list.
CREATE INDEX "conversations_assignee_id_idx" ON "conversations" ("tenant_id", "environment", "assignee_id", "id")
  WHERE "assignee_id" IS NOT NULL;

-- The words of an entry, each with the number of its segment, so that a search reads the words of one segment only, and none of
-- another tenant. lib/conversations/search.sql.ts has the same expression. PostgreSQL collects the words of new entries in a list
-- and writes each of them once for all, which takes less CPU time and far less of its log. Searches read the list, so it is
-- short, and the job empties it after each batch.
CREATE INDEX "search_entries_words_idx" ON "search_entries" USING GIN (
  array_to_tsvector(string_to_array(substr(replace(replace("header", ' |', '') || "text", ' ', ' ' || "segment_id" || '|'), 2), ' '))
) WITH (fastupdate = on, gin_pending_list_limit = 64);

-- Only the owner of an index can empty its list. Returns how many pages it had.
CREATE FUNCTION "write_search_words"() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$
  SELECT gin_clean_pending_list('search_entries_words_idx')
$$;

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
    -- Those of its messages are deleted with them, and a search ignores them until then.
    DELETE FROM search_entries e USING gone
      WHERE e.tenant_id = gone.tenant_id AND e.environment = gone.environment AND e.conversation_id = gone.id AND e.message_id = '';
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

-- A file is deleted with its message. Prisma would create this reference before the primary key of messages is replaced above.
ALTER TABLE "files" ADD CONSTRAINT "files_message_fkey" FOREIGN KEY ("tenant_id", "environment", "message_id")
  REFERENCES "messages" ("tenant_id", "environment", "id") ON DELETE CASCADE;

CREATE INDEX "files_message_idx" ON "files" ("tenant_id", "environment", "message_id") WHERE "message_id" IS NOT NULL;
CREATE INDEX "files_unattached_idx" ON "files" ("created_at") WHERE "message_id" IS NULL;

-- Whatever statement deletes a file's row, the stored file goes to the job that removes it, and the environment's total follows.
CREATE FUNCTION "follow_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO file_totals AS t (tenant_id, environment, size_bytes)
      SELECT tenant_id, environment, sum(size_bytes) FROM changed GROUP BY tenant_id, environment ORDER BY tenant_id, environment
      ON CONFLICT (tenant_id, environment) DO UPDATE SET size_bytes = t.size_bytes + excluded.size_bytes;
  -- Most messages that are deleted have no file, and each runs this.
  ELSIF EXISTS (SELECT FROM changed) THEN
    INSERT INTO stray_blobs (tenant_id, environment, key, remove_after)
      SELECT tenant_id, environment, blob_key, now() FROM changed ON CONFLICT DO NOTHING;
    UPDATE file_totals t SET size_bytes = t.size_bytes - gone.size_bytes
      FROM (SELECT tenant_id, environment, sum(size_bytes) AS size_bytes FROM changed GROUP BY tenant_id, environment) AS gone
      WHERE t.tenant_id = gone.tenant_id AND t.environment = gone.environment;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "files_inserted" AFTER INSERT ON "files" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "follow_files"();

CREATE TRIGGER "files_deleted" AFTER DELETE ON "files" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "follow_files"();

-- What is stored, by day, whatever statement changes it: usage and the quota read no documents and no files.
CREATE FUNCTION "follow_storage"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  added_documents int := CASE TG_TABLE_NAME WHEN 'documents' THEN added ELSE 0 END;
BEGIN
  -- Most messages that are deleted have no file, and each runs this.
  IF current_setting('parlance.deleting_tenant', true) = 'on' OR NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  END IF;
  INSERT INTO storage_days AS d (tenant_id, environment, day, documents, files, size_bytes)
    SELECT tenant_id, environment, (created_at AT TIME ZONE 'UTC')::date, count(*) * added_documents,
      count(*) * (added - added_documents), sum(size_bytes) * added
    FROM changed GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (tenant_id, environment, day) DO UPDATE
      SET documents = d.documents + excluded.documents, files = d.files + excluded.files, size_bytes = d.size_bytes + excluded.size_bytes;
  RETURN NULL;
END $$;

CREATE TRIGGER "documents_stored" AFTER INSERT ON "documents" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "follow_storage"();

CREATE TRIGGER "documents_removed" AFTER DELETE ON "documents" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "follow_storage"();

CREATE TRIGGER "files_stored" AFTER INSERT ON "files" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "follow_storage"();

CREATE TRIGGER "files_removed" AFTER DELETE ON "files" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "follow_storage"();

CREATE FUNCTION "follow_document_size"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE storage_days SET size_bytes = size_bytes + NEW.size_bytes - OLD.size_bytes
    WHERE tenant_id = NEW.tenant_id AND environment = NEW.environment AND day = (NEW.created_at AT TIME ZONE 'UTC')::date;
  RETURN NULL;
END $$;

CREATE TRIGGER "documents_replaced" AFTER UPDATE OF "size_bytes" ON "documents"
  FOR EACH ROW WHEN (OLD.size_bytes <> NEW.size_bytes) EXECUTE FUNCTION "follow_document_size"();

-- Few conversations change long after they were created. updatedSince finds here those that were created before it.
CREATE INDEX "conversations_long_lived_idx" ON "conversations" ("tenant_id", "environment", "updated_at", "id")
  WHERE "updated_at" - "created_at" > interval '12 hours';

-- Events, deliveries, attempts and request logs are partitioned by the week (UTC) in their ids, so that retention drops a
-- week instead of deleting its rows. An id outside the weeks that exist goes to the default partition.
CREATE TABLE "events_default" PARTITION OF "events" DEFAULT;
-- A delivery is updated once or twice soon after it is written. Room in its page keeps those updates out of the indexes.
CREATE TABLE "deliveries_default" PARTITION OF "deliveries" DEFAULT WITH (fillfactor = 50);
CREATE TABLE "delivery_attempts_default" PARTITION OF "delivery_attempts" DEFAULT;
CREATE TABLE "request_logs_default" PARTITION OF "request_logs" DEFAULT;

-- Only default partitions are purged row by row.
CREATE INDEX "events_default_expires_at_idx" ON "events_default" ("expires_at");
CREATE INDEX "request_logs_default_created_at_idx" ON "request_logs_default" ("created_at");

-- These references have no foreign keys, whose checks cost a third of recording an event and its delivery. A delivery is
-- written by the statement that writes its event, an attempt by the one that updates its delivery, and a week of all three is
-- dropped together. These triggers delete what refers to a deleted row.
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_tenant_id_environment_webhook_id_fkey",
  DROP CONSTRAINT "deliveries_tenant_id_environment_event_id_fkey";
ALTER TABLE "delivery_attempts" DROP CONSTRAINT "delivery_attempts_tenant_id_environment_delivery_id_fkey";

CREATE FUNCTION "delete_deliveries_of_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  webhook record;
BEGIN
  -- One at a time, because a join of the two could read all deliveries. The two bounds mean equality, and with the order they leave
  -- the index by webhook as the only choice.
  FOR webhook IN SELECT tenant_id, environment, id FROM gone LOOP
    DELETE FROM deliveries d
      WHERE d.tenant_id = webhook.tenant_id AND d.environment = webhook.environment AND d.id = ANY (ARRAY(
        SELECT o.id FROM deliveries o
        WHERE o.tenant_id = webhook.tenant_id AND o.environment = webhook.environment
          AND o.webhook_id >= webhook.id AND o.webhook_id <= webhook.id
        ORDER BY o.webhook_id, o.id
      ));
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER "webhooks_delete_deliveries" AFTER DELETE ON "webhooks" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_deliveries_of_webhooks"();

-- The ids of an event's deliveries start with the same time, so the primary key finds them, and event_id has no index.
CREATE FUNCTION "delete_deliveries_of_events"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event record;
BEGIN
  -- One at a time, because a join of the two could read all deliveries.
  FOR event IN SELECT tenant_id, environment, id, substr(id, 5, 10) AS time FROM gone LOOP
    DELETE FROM deliveries d
      WHERE d.tenant_id = event.tenant_id AND d.environment = event.environment AND d.event_id = event.id
        AND d.id > 'dlv_' || event.time AND d.id < 'dlv_' || event.time || repeat('Z', 17);
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER "events_delete_deliveries" AFTER DELETE ON "events" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_deliveries_of_events"();

CREATE FUNCTION "delete_attempts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM delivery_attempts a USING gone
    WHERE a.tenant_id = gone.tenant_id AND a.environment = gone.environment AND a.delivery_id = gone.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "deliveries_delete_attempts" AFTER DELETE ON "deliveries" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_attempts"();

-- Few of very many deliveries wait, are held or were discarded. In a week without any, these indexes are empty.
CREATE INDEX "deliveries_waiting_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "next_attempt_at")
  WHERE "status" = 'PENDING';
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("next_attempt_at") WHERE "status" = 'PENDING';
CREATE INDEX "deliveries_held_idx" ON "deliveries" ("updated_at") WHERE "status" = 'HELD';
CREATE INDEX "deliveries_discarded_idx" ON "deliveries" ("updated_at") WHERE "status" = 'DISCARDED';

-- The first 10 characters of a ULID of that time.
CREATE FUNCTION "ulid_time"("at" timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (((extract(epoch FROM at) * 1000)::bigint >> bits) & 31)::int + 1, 1), '' ORDER BY bits DESC)
  FROM generate_series(0, 45, 5) AS bits
$$;

CREATE FUNCTION "partition_of"("parent" text, "week" timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT parent || to_char(week AT TIME ZONE 'UTC', '_YYYYMMDD')
$$;

-- The weeks for which a table has partitions, oldest first.
CREATE FUNCTION "weeks_of"("parent" text) RETURNS SETOF timestamptz LANGUAGE sql STABLE AS $$
  SELECT to_date(right(relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' FROM pg_inherits JOIN pg_class ON oid = inhrelid
  WHERE inhparent = parent::regclass AND relname ~ '_\d{8}$' ORDER BY 1
$$;

-- Creates the missing partitions for the weeks from the first time to the last. Returns the number of weeks. If a clock was
-- ahead, the default partition already has rows of a week. Up to 1,000 of them in each table move to the new partition. If
-- there are more, all rows of that week stay in the default partition. Requests wait until the transaction ends, which takes
-- some milliseconds, or until the lock timeout if another transaction keeps a table in use.
CREATE FUNCTION "create_partitions"("first" timestamptz, "last" timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' AS $$
DECLARE
  week timestamptz;
  parent record;
  leaf text;
  rest text;
  granted record;
  created int := 0;
BEGIN
  FOR week IN SELECT generate_series(date_trunc('week', first, 'UTC'), last, interval '168 hours') LOOP
    CONTINUE WHEN to_regclass(partition_of('events', week)) IS NOT NULL;
    EXIT WHEN NOT pg_try_advisory_xact_lock(hashtext('parlance partitions'));
    -- Another process may have created the week and released the lock in the meantime.
    CONTINUE WHEN to_regclass(partition_of('events', week)) IS NOT NULL;
    BEGIN
      FOR parent IN
        SELECT name, key, id_prefix || ulid_time(week) AS lower, id_prefix || ulid_time(week + interval '168 hours') AS upper, fillfactor
        FROM (VALUES ('events', 'id', 'evt_', 100), ('deliveries', 'id', 'dlv_', 50),
          ('delivery_attempts', 'delivery_id', 'dlv_', 100), ('request_logs', 'id', 'req_', 100)) AS t (name, key, id_prefix, fillfactor)
      LOOP
        leaf := partition_of(parent.name, week);
        rest := parent.name || '_default';
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE) WITH (fillfactor = %s)', leaf, parent.name, parent.fillfactor);
        -- With these locks, no other transaction can be changing the rows that move, or have chosen the default partition for a
        -- row of the week, which PostgreSQL would then reject.
        EXECUTE format('LOCK TABLE ONLY %I, %I IN ACCESS EXCLUSIVE MODE', parent.name, rest);
        EXECUTE format('
          WITH moved AS (DELETE FROM %1$I WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 1000)) RETURNING *)
          INSERT INTO %5$I SELECT * FROM moved', rest, parent.key, parent.lower, parent.upper, leaf);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent.name, leaf, parent.lower, parent.upper);
        -- Statements on the parent need no privileges on a partition, but ANALYZE does.
        FOR granted IN
          SELECT grantee::regrole AS role, string_agg(privilege_type, ', ') AS privileges FROM pg_class, aclexplode(relacl)
          WHERE oid = parent.name::regclass AND grantee NOT IN (0, relowner) GROUP BY grantee
        LOOP
          EXECUTE format('GRANT %s ON %I TO %s', granted.privileges, leaf, granted.role);
        END LOOP;
      END LOOP;
      created := created + 1;
    EXCEPTION WHEN check_violation THEN
      NULL; -- More than 1,000 rows of the week are in a default partition.
    END;
  END LOOP;
  RETURN created;
END $$;

-- Deliveries of a week that are still needed: those that wait or are held, and those that were discarded less than 7 days ago.
-- Up to 1,001 of each kind.
CREATE FUNCTION "unfinished_deliveries"("week" timestamptz, "at" timestamptz)
  RETURNS TABLE ("tenant_id" text, "environment" "Environment", "id" text, "event_id" text)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE (
    SELECT string_agg(format('(SELECT tenant_id, environment, id, event_id FROM %I WHERE %s LIMIT 1001)', partition_of('deliveries', week), condition), ' UNION ')
    FROM unnest(ARRAY[$c$status = 'PENDING'$c$, $c$status = 'HELD'$c$, $c$status = 'DISCARDED' AND updated_at > $1$c$, $c$requested_at IS NOT NULL$c$]) AS condition
  ) USING at - interval '7 days';
END $$;

-- Weeks of a table that ended at least 30 days ago (the 888 hours), oldest first. Unfinished deliveries move to the default
-- partition when their week is dropped. While there are more than 1,000, the week is not droppable.
CREATE FUNCTION "expired_weeks"("parent" text, "at" timestamptz)
  RETURNS TABLE ("week" timestamptz, "expired_at" timestamptz, "is_droppable" boolean) LANGUAGE sql STABLE AS $$
  SELECT week, week + interval '888 hours',
    parent = 'request_logs' OR (SELECT count(*) FROM unfinished_deliveries(week, at)) <= 1000
  FROM weeks_of(parent) AS week WHERE week + interval '888 hours' <= at ORDER BY week
$$;

-- Drops the oldest expired week of request logs, and that of events, deliveries and attempts. Before it drops events, it stores
-- the positions of the last ones, up to 50,000 in each call, until none is missing. Returns how many of these steps it did.
CREATE FUNCTION "drop_expired_partitions"("at" timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' SET enable_seqscan = off AS $$
DECLARE
  expired timestamptz;
  unfinished record;
  kind record;
  lost bigint;
  stored int;
  done int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('parlance partitions')) THEN
    RETURN 0;
  END IF;

  -- guard_moving_tenant then lets this transaction save the rows of a tenant that is being moved, too.
  PERFORM set_config('parlance.dropping_week', 'on', true);
  SELECT week INTO expired FROM expired_weeks('request_logs', at) LIMIT 1;
  IF FOUND THEN
    EXECUTE format('DROP TABLE %I', partition_of('request_logs', expired));
    done := done + 1;
  END IF;

  SELECT week INTO expired FROM expired_weeks('events', at) WHERE is_droppable LIMIT 1;
  IF FOUND THEN
    -- The feed is in the order of transactions, which near the end of the week is not quite that of ids. Cursors older than
    -- that are before all events of later weeks (lib/events/service.sql.ts).
    EXECUTE format('
      INSERT INTO purged_events (tenant_id, environment, id, xact, purged_at)
      SELECT e.tenant_id, e.environment, e.id, e.xact, $2 FROM tenants t CROSS JOIN unnest(enum_range(NULL::"Environment")) AS n (environment)
      CROSS JOIN LATERAL (SELECT * FROM %I e WHERE e.tenant_id = t.id AND e.environment = n.environment AND e.id >= $1
        AND (SELECT true FROM purged_events p WHERE p.tenant_id = e.tenant_id AND p.environment = e.environment AND p.id = e.id) IS NULL OFFSET 0) AS e
      LIMIT 50000 ON CONFLICT DO NOTHING', partition_of('events', expired))
      USING 'evt_' || ulid_time(expired + interval '168 hours' - interval '20 minutes'), at;
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored > 0 THEN
      RETURN done + 1;
    END IF;

    LOCK TABLE events, deliveries, delivery_attempts IN ACCESS EXCLUSIVE MODE;
    SELECT array_agg(u.tenant_id) AS tenant_ids, array_agg(u.environment) AS environments, array_agg(u.id) AS ids, array_agg(u.event_id) AS event_ids
      INTO unfinished FROM unfinished_deliveries(expired, at) AS u;
    -- A user may have resumed many while the lock was awaited. The week is then no longer droppable.
    IF cardinality(unfinished.ids) > 1000 THEN
      RETURN done;
    END IF;
    EXECUTE format('ALTER TABLE events DETACH PARTITION %I', partition_of('events', expired));
    EXECUTE format('ALTER TABLE deliveries DETACH PARTITION %I', partition_of('deliveries', expired));
    EXECUTE format('ALTER TABLE delivery_attempts DETACH PARTITION %I', partition_of('delivery_attempts', expired));
    FOR kind IN
      SELECT * FROM (VALUES ('events', 'id', unfinished.event_ids), ('deliveries', 'id', unfinished.ids),
        ('delivery_attempts', 'delivery_id', unfinished.ids)) AS t (name, key, ids)
    LOOP
      EXECUTE format('
        WITH needed AS (
          SELECT row.* FROM (SELECT DISTINCT * FROM unnest($1, $2, $3) AS u (tenant_id, environment, id)) u
          JOIN %1$I row ON row.tenant_id = u.tenant_id AND row.environment = u.environment AND row.%2$I = u.id
        ),
        moved AS (INSERT INTO %3$I SELECT * FROM needed RETURNING 1)
        SELECT (SELECT count(*) FROM needed) - (SELECT count(*) FROM moved)', partition_of(kind.name, expired), kind.key, kind.name)
        INTO lost USING unfinished.tenant_ids, unfinished.environments, kind.ids;
      -- A trigger can leave out a row without an error.
      IF lost > 0 THEN
        RAISE EXCEPTION 'rows of % are still needed and were not moved: %', partition_of(kind.name, expired), lost;
      END IF;
    END LOOP;
    EXECUTE format('DROP TABLE %I, %I, %I', partition_of('delivery_attempts', expired), partition_of('deliveries', expired), partition_of('events', expired));
    done := done + 1;
  END IF;
  RETURN done;
END $$;

-- These run as the owner of the tables, so the search path may contain only schemas in which the caller cannot create anything.
-- prisma/roles.ts grants them and takes the right to create from the application's role.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION create_partitions SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_expired_partitions SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION delete_audit_entries SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION write_search_words SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "create_partitions", "drop_expired_partitions", "delete_audit_entries", "write_search_words" FROM PUBLIC;

SELECT create_partitions(now(), now() + interval '7 days');

-- Anyone can read the public keys of a webhook by its id alone. Most webhooks have none.
CREATE INDEX "webhook_secrets_public_idx" ON "webhook_secrets" ("webhook_id") WHERE "public_key" IS NOT NULL;

-- The order of deliveries within a conversation. A transaction takes a number while it holds the lock of the conversation's row,
-- so numbers follow the order in which the conversation changed.
CREATE SEQUENCE "delivery_positions";

-- Only deliveries of webhooks with ordering have a conversation.
CREATE INDEX "deliveries_lanes_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "conversation_id", "position", "event_id")
  WHERE "conversation_id" IS NOT NULL AND "status" = 'PENDING';
CREATE INDEX "deliveries_held_lanes_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "conversation_id", "position", "event_id")
  WHERE "conversation_id" IS NOT NULL AND "status" = 'HELD';

-- A deleted conversation disappears immediately, whatever its number of messages: a job deletes those in batches. So messages
-- have no foreign key. The statements that write one lock the conversation, and those that read one check that it exists.
ALTER TABLE "messages" DROP CONSTRAINT "messages_tenant_id_environment_conversation_id_fkey";

CREATE FUNCTION "note_deleted_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO deletions (tenant_id, environment, id, customer_id)
    SELECT tenant_id, environment, id, customer_id FROM gone WHERE message_count > 0 OR customer_id IS NOT NULL
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_note_deleted" AFTER DELETE ON "conversations" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "note_deleted_conversations"();

CREATE INDEX "deletions_unfinished_idx" ON "deletions" ("tenant_id", "environment", "deleted_at") WHERE "finished_at" IS NULL;

-- The day (UTC) in an id, the reverse of ulid_time.
CREATE FUNCTION "day_of_id"("id" text) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (to_timestamp(sum((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(id, 4 + place, 1)) - 1) * (32::numeric ^ (10 - place))) / 1000) AT TIME ZONE 'UTC')::date
  FROM generate_series(1, 10) AS place
$$;

-- Usage counts the conversations and messages of a day once it is over (lib/usage). What is deleted before that is counted
-- here. A wipe of test data deletes its usage, too.
CREATE FUNCTION "count_deleted_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO deleted_days AS d (tenant_id, environment, day, conversations_created)
    SELECT gone.tenant_id, gone.environment, day_of_id(gone.id) AS day, count(*) FROM gone JOIN tenants t ON t.id = gone.tenant_id
    WHERE gone.created_at >= t.counted_until - interval '1 day' AND day_of_id(gone.id) >= t.counted_until
      AND NOT (gone.environment = 'test' AND EXISTS (SELECT 1 FROM wipe_tasks w WHERE w.tenant_id = gone.tenant_id))
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (tenant_id, environment, day) DO UPDATE SET conversations_created = d.conversations_created + excluded.conversations_created;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_count_deleted" AFTER DELETE ON "conversations" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_conversations"();

CREATE FUNCTION "count_deleted_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO deleted_days AS d (tenant_id, environment, day, messages_received, messages_sent)
    SELECT gone.tenant_id, gone.environment, day_of_id(gone.id) AS day, count(*) FILTER (WHERE direction = 'INBOUND'),
      count(*) FILTER (WHERE direction = 'OUTBOUND')
    FROM gone JOIN tenants t ON t.id = gone.tenant_id
    WHERE gone.created_at >= t.counted_until - interval '1 day' AND day_of_id(gone.id) >= t.counted_until
      AND NOT (gone.environment = 'test' AND EXISTS (SELECT 1 FROM wipe_tasks w WHERE w.tenant_id = gone.tenant_id))
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (tenant_id, environment, day) DO UPDATE
      SET messages_received = d.messages_received + excluded.messages_received, messages_sent = d.messages_sent + excluded.messages_sent;
  RETURN NULL;
END $$;

CREATE TRIGGER "messages_count_deleted" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted_messages"();

-- Finds the events about an object by its id. The busiest types are not in the index, so that recording them costs no entry: they
-- are recorded when their object is created, and its id contains that time (lib/events/of-object.sql.ts has the same expression).
CREATE INDEX "events_object_idx" ON "events" ("tenant_id", "environment", (substring(left("payload", 400) from '"object":\{"id":"([^"]+)"')), "id")
  WHERE "type" NOT IN ('conversation.created', 'message.received', 'message.sent');

-- Visits are deleted with their conversation, and when the member leaves. Saved views that are not shared leave with the member.
CREATE FUNCTION "delete_visits_of_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  DELETE FROM conversation_visits v USING gone
    WHERE v.tenant_id = gone.tenant_id AND v.environment = gone.environment AND v.conversation_id = gone.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_delete_visits" AFTER DELETE ON "conversations" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_visits_of_conversations"();

CREATE FUNCTION "delete_visits_of_members"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM conversation_visits v USING gone WHERE v.tenant_id = gone.tenant_id AND v.user_id = gone.user_id;
  DELETE FROM saved_views v USING gone WHERE v.tenant_id = gone.tenant_id AND v.user_id = gone.user_id AND NOT v.is_shared;
  RETURN NULL;
END $$;

CREATE TRIGGER "memberships_delete_visits" AFTER DELETE ON "memberships" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_visits_of_members"();

-- While a tenant is moved to another installation, the move creates a trigger with this function on each table with its rows, for
-- that tenant only (lib/tenant-move). The argument is the tenant. A transaction that has changed one of its rows holds the shared
-- lock until it ends. So while a session has the exclusive lock, no change is in progress, and later ones see the new state.
CREATE FUNCTION "guard_moving_tenant"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  move tenant_moves%ROWTYPE;
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  -- These rows only change their partition. If they were left out, they would be lost with their week.
  IF current_setting('parlance.dropping_week', true) = 'on' THEN
    RETURN changed;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtext('parlance tenant move'), hashtext(TG_ARGV[0]));
  SELECT * INTO move FROM tenant_moves WHERE tenant_id = TG_ARGV[0];
  IF NOT FOUND OR move.state = 'COPYING' OR move.stopped_until <= clock_timestamp() THEN
    RETURN changed;
  END IF;
  IF move.state = 'DRAINING' THEN
    -- Results of attempts are recorded, but none begins.
    IF TG_OP = 'UPDATE' AND starts_with(TG_TABLE_NAME, 'deliveries') THEN
      IF NEW.lease_holder IS NOT NULL AND NEW.lease_holder IS DISTINCT FROM OLD.lease_holder THEN
        RETURN NULL;
      END IF;
    END IF;
    RETURN changed;
  END IF;
  -- The worker's statements concern many tenants, and so do those that write logs and count requests. They leave this one out.
  IF current_setting('application_name') = 'parlance worker' OR starts_with(TG_TABLE_NAME, 'request_') OR TG_TABLE_NAME = 'usage_days' THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'api_keys' AND TG_OP = 'UPDATE'
    AND to_jsonb(NEW) - '{last_used_at,first_succeeded_at}'::text[] = to_jsonb(OLD) - '{last_used_at,first_succeeded_at}'::text[] THEN
    RETURN NULL;
  END IF;
  -- The code is that of a server that accepts no connections yet: requests get a 503 and are repeated.
  RAISE EXCEPTION 'the tenant % is being moved to another installation', TG_ARGV[0] USING ERRCODE = 'cannot_connect_now';
END $$;

-- How many documents a knowledge base has is not known when a statement is planned for any of them. If the statistics know only
-- one base, PostgreSQL would expect every base to have all documents, and read them all to find those of an empty one.
ALTER TABLE "documents" ALTER COLUMN "knowledge_base_id" SET (n_distinct = -0.01);
