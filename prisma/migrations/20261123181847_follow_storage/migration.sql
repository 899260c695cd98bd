-- CreateTable
CREATE TABLE "storage_days" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "documents" INTEGER NOT NULL DEFAULT 0,
    "files" INTEGER NOT NULL DEFAULT 0,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "storage_days_pkey" PRIMARY KEY ("tenant_id","environment","day")
);

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

-- Since the triggers exist, uploads wait for the end of this transaction, so nothing is missed and nothing counted twice.
INSERT INTO storage_days (tenant_id, environment, day, documents, files, size_bytes)
  SELECT tenant_id, environment, day, sum(documents), sum(files), sum(size_bytes)
  FROM (
    SELECT tenant_id, environment, (created_at AT TIME ZONE 'UTC')::date AS day, 1 AS documents, 0 AS files, size_bytes FROM documents
    UNION ALL SELECT tenant_id, environment, (created_at AT TIME ZONE 'UTC')::date, 0, 1, size_bytes FROM files
  ) AS stored
  GROUP BY tenant_id, environment, day;
