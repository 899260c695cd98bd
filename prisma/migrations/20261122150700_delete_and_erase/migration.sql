-- CreateEnum
CREATE TYPE "ErasurePhase" AS ENUM ('CONVERSATIONS', 'EVENTS', 'IDEMPOTENCY_RECORDS', 'REQUEST_LOGS', 'REST', 'COMPLETED');

-- AlterTable
ALTER TABLE "customers" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "redacted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "knowledge_bases" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "deletions" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "customer_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "after_id" TEXT NOT NULL DEFAULT '',
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "deletions_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "erasures" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "identifiers" JSONB NOT NULL,
    "phase" "ErasurePhase" NOT NULL DEFAULT 'CONVERSATIONS',
    "after_id" TEXT NOT NULL DEFAULT '',
    "after_sequence" INTEGER NOT NULL DEFAULT 0,
    "cleared_at" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "counts" JSONB NOT NULL DEFAULT '{}',
    "requested_by_type" TEXT NOT NULL,
    "requested_by_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "receipt" JSONB,

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "deleted_days" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "conversations_created" INTEGER NOT NULL DEFAULT 0,
    "messages_received" INTEGER NOT NULL DEFAULT 0,
    "messages_sent" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "deleted_days_pkey" PRIMARY KEY ("tenant_id","environment","day")
);

-- CreateIndex
CREATE INDEX "deletions_finished_at_idx" ON "deletions"("finished_at");

-- CreateIndex
CREATE INDEX "erasures_completed_at_next_at_idx" ON "erasures"("completed_at", "next_at");

-- CreateIndex
CREATE UNIQUE INDEX "erasures_tenant_id_environment_customer_id_key" ON "erasures"("tenant_id", "environment", "customer_id");

-- CreateIndex
CREATE INDEX "deleted_days_day_idx" ON "deleted_days"("day");

-- A deleted conversation disappears immediately, whatever its number of messages: a job deletes those in batches. So messages
-- have no foreign key. The statements that write one lock the conversation, and those that read one check that it exists.
ALTER TABLE "messages" DROP CONSTRAINT "messages_tenant_id_environment_conversation_id_fkey";

CREATE FUNCTION "note_deleted_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deletions (tenant_id, environment, id, customer_id)
    SELECT tenant_id, environment, id, customer_id FROM gone WHERE message_count > 0 OR customer_id IS NOT NULL
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "conversations_note_deleted" AFTER DELETE ON "conversations" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "note_deleted_conversations"();

CREATE INDEX "deletions_unfinished_idx" ON "deletions" ("deleted_at") WHERE "finished_at" IS NULL;

-- The day (UTC) in an id, the reverse of ulid_time.
CREATE FUNCTION "day_of_id"("id" text) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (to_timestamp(sum((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(id, 4 + place, 1)) - 1) * (32::numeric ^ (10 - place))) / 1000) AT TIME ZONE 'UTC')::date
  FROM generate_series(1, 10) AS place
$$;

-- Usage counts the conversations and messages of a day once it is over (lib/usage). What is deleted before that is counted
-- here. A wipe of test data deletes its usage, too.
CREATE FUNCTION "count_deleted_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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

CREATE OR REPLACE FUNCTION "delete_search_entries"() RETURNS trigger LANGUAGE plpgsql AS $$
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
