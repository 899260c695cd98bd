-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "attachments" JSONB;

-- CreateTable
CREATE TABLE "files" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "blob_key" TEXT NOT NULL,
    "message_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "files_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "file_totals" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "size_bytes" BIGINT NOT NULL,

    CONSTRAINT "file_totals_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- A file is deleted with its message. Prisma would create this reference before the primary key of messages is replaced above.
ALTER TABLE "files" ADD CONSTRAINT "files_message_fkey" FOREIGN KEY ("tenant_id", "environment", "message_id")
  REFERENCES "messages" ("tenant_id", "environment", "id") ON DELETE CASCADE;

CREATE INDEX "files_message_idx" ON "files" ("tenant_id", "environment", "message_id") WHERE "message_id" IS NOT NULL;
CREATE INDEX "files_unattached_idx" ON "files" ("created_at") WHERE "message_id" IS NULL;
-- Usage counts files and sums their size by the day they were uploaded, from this index alone.
CREATE INDEX "files_stored_idx" ON "files" ("tenant_id", "environment", "created_at") INCLUDE ("size_bytes");

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
