-- CreateTable
CREATE TABLE "conversation_visits" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "seen_sequence" INTEGER NOT NULL,
    "present_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversation_visits_pkey" PRIMARY KEY ("tenant_id","environment","conversation_id","user_id")
);

-- CreateTable
CREATE TABLE "saved_views" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "is_shared" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("tenant_id","environment","user_id","name")
);

-- What changes an object is found by the object's id. The busiest events are not in the index, so that recording them costs no
-- entry: they happen when their object is created, whose id has the time (lib/events/of-object.sql.ts has the same expression).
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
