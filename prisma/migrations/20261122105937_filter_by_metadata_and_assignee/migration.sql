-- CreateTable
CREATE TABLE "conversation_metadata" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,

    CONSTRAINT "conversation_metadata_pkey" PRIMARY KEY ("tenant_id","environment","key","value","conversation_id")
);

-- CreateTable
CREATE TABLE "customer_metadata" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,

    CONSTRAINT "customer_metadata_pkey" PRIMARY KEY ("tenant_id","environment","key","value","customer_id")
);

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
