-- DropIndex
DROP INDEX "conversations_tags_idx";

-- CreateTable
CREATE TABLE "conversation_tags" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "tag" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,

    CONSTRAINT "conversation_tags_pkey" PRIMARY KEY ("tenant_id","environment","tag","conversation_id")
);

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_environment_webhook_id_event_type_id_idx" ON "deliveries"("tenant_id", "environment", "webhook_id", "event_type", "id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

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
