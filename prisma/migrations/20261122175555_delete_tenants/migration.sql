-- CreateTable
CREATE TABLE "tenant_deletions" (
    "tenant_id" TEXT NOT NULL,
    "requested_by_type" TEXT NOT NULL,
    "requested_by_id" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_rows" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "tenant_deletions_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "deleted_tenants" (
    "sequence" INTEGER NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "requested_by_type" TEXT NOT NULL,
    "requested_by_id" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_rows" INTEGER NOT NULL,
    "audit_entries" INTEGER NOT NULL,
    "audit_hash" BYTEA NOT NULL,
    "previous_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_tenants_pkey" PRIMARY KEY ("sequence")
);

-- CreateIndex
CREATE UNIQUE INDEX "deleted_tenants_tenant_id_key" ON "deleted_tenants"("tenant_id");

-- AddForeignKey
ALTER TABLE "tenant_deletions" ADD CONSTRAINT "tenant_deletions_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The receipts of deleted tenants are append-only. Only the owner of the tables (prisma/roles.ts) can disable this trigger.
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

DROP TRIGGER "audit_entries_append_only" ON "audit_entries";
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

DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION delete_audit_entries SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "delete_audit_entries" FROM PUBLIC;

-- While a tenant is deleted, with this setting, nothing needs to be remembered or counted of it.
CREATE OR REPLACE FUNCTION "remember_purged_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO purged_events (tenant_id, environment, id, xact)
    SELECT tenant_id, environment, id, xact FROM gone ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "remember_deleted_items"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO deleted_items (tenant_id, environment, id, parent_id)
    SELECT tenant_id, environment, id, to_jsonb(gone) ->> TG_ARGV[0] FROM gone ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "note_deleted_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parlance.deleting_tenant', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO deletions (tenant_id, environment, id, customer_id)
    SELECT tenant_id, environment, id, customer_id FROM gone WHERE message_count > 0 OR customer_id IS NOT NULL
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_deleted_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION "count_deleted_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
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
