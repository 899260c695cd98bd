-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "Plan" AS ENUM ('FREE', 'PRO', 'SCALE');

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('OWNER', 'ADMIN', 'MEMBER', 'VIEWER');

-- CreateEnum
CREATE TYPE "Environment" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "ConversationStatus" AS ENUM ('OPEN', 'PENDING', 'SNOOZED', 'RESOLVED', 'CLOSED');

-- CreateEnum
CREATE TYPE "Priority" AS ENUM ('LOW', 'NORMAL', 'HIGH', 'URGENT');

-- CreateEnum
CREATE TYPE "Direction" AS ENUM ('INBOUND', 'OUTBOUND', 'INTERNAL');

-- CreateEnum
CREATE TYPE "AuthorType" AS ENUM ('CUSTOMER', 'USER', 'AGENT', 'API', 'SYSTEM');

-- CreateEnum
CREATE TYPE "AgentStatus" AS ENUM ('DRAFT', 'PUBLISHED', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "DocumentStatus" AS ENUM ('PENDING', 'PROCESSING', 'READY', 'FAILED');

-- CreateEnum
CREATE TYPE "WebhookStatus" AS ENUM ('ENABLED', 'DISABLED');

-- CreateEnum
CREATE TYPE "DisabledReason" AS ENUM ('MANUAL', 'CONSECUTIVE_FAILURES', 'GONE');

-- CreateEnum
CREATE TYPE "DeliveryStatus" AS ENUM ('PENDING', 'DELIVERED', 'FAILED', 'HELD', 'DISCARDED');

-- CreateEnum
CREATE TYPE "BacklogAction" AS ENUM ('RECOVER', 'RESUME', 'DISCARD');

-- CreateEnum
CREATE TYPE "AttemptTrigger" AS ENUM ('AUTOMATIC', 'MANUAL', 'TEST');

-- CreateTable
CREATE TABLE "tenants" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "plan" "Plan" NOT NULL DEFAULT 'FREE',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" "Role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "address" TEXT,
    "user_agent" TEXT,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "allowed_ips" TEXT[],
    "rate_limit_per_minute" INTEGER,
    "revoked_at" TIMESTAMPTZ(3),
    "replaced_by_id" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "customers" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "external_id" TEXT,
    "name" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "locale" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "conversation_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customers_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "conversations" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "status" "ConversationStatus" NOT NULL DEFAULT 'OPEN',
    "channel_id" TEXT NOT NULL,
    "customer_id" TEXT,
    "agent_id" TEXT,
    "assignee_id" TEXT,
    "subject" TEXT,
    "priority" "Priority" NOT NULL DEFAULT 'NORMAL',
    "tags" TEXT[],
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "external_id" TEXT,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "last_message_at" TIMESTAMPTZ(3),
    "last_message_preview" TEXT,
    "snoozed_until" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "messages" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "direction" "Direction" NOT NULL,
    "author_type" "AuthorType" NOT NULL,
    "author_id" TEXT,
    "author_name" TEXT,
    "text" TEXT NOT NULL,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "agents" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" "AgentStatus" NOT NULL DEFAULT 'DRAFT',
    "model" TEXT,
    "instructions" TEXT,
    "greeting" TEXT,
    "temperature" DOUBLE PRECISION,
    "knowledge_base_ids" TEXT[],
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "has_unpublished_changes" BOOLEAN NOT NULL DEFAULT true,
    "published_version" INTEGER,
    "published_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "agent_versions" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "content" JSONB NOT NULL,
    "published_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_versions_pkey" PRIMARY KEY ("tenant_id","environment","agent_id","version")
);

-- CreateTable
CREATE TABLE "knowledge_bases" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "pending_count" INTEGER NOT NULL DEFAULT 0,
    "processing_count" INTEGER NOT NULL DEFAULT 0,
    "ready_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "knowledge_bases_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "documents" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "knowledge_base_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "blob_key" TEXT NOT NULL,
    "status" "DocumentStatus" NOT NULL DEFAULT 'PENDING',
    "error_code" TEXT,
    "error_message" TEXT,
    "character_count" INTEGER,
    "chunk_count" INTEGER,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "lease_holder" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "documents_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "document_chunks" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "document_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "knowledge_base_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "document_chunks_pkey" PRIMARY KEY ("tenant_id","environment","document_id","position")
);

-- CreateTable
CREATE TABLE "stray_blobs" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "key" TEXT NOT NULL,
    "remove_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stray_blobs_pkey" PRIMARY KEY ("tenant_id","environment","key")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "events" TEXT[],
    "status" "WebhookStatus" NOT NULL DEFAULT 'ENABLED',
    "disabled_reason" "DisabledReason",
    "disabled_at" TIMESTAMPTZ(3),
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "probe_after" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "webhook_secrets" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "ciphertext" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("tenant_id","environment","webhook_id","version")
);

-- CreateTable
CREATE TABLE "events" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "status" "DeliveryStatus" NOT NULL DEFAULT 'PENDING',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "automatic_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "requested_trigger" "AttemptTrigger",
    "requested_at" TIMESTAMPTZ(3),
    "lease_holder" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "backlog_tasks" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "action" "BacklogAction" NOT NULL,
    "after_id" TEXT NOT NULL,
    "before_id" TEXT NOT NULL,
    "next_due_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "backlog_tasks_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "trigger" "AttemptTrigger" NOT NULL DEFAULT 'AUTOMATIC',
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "error_code" TEXT,
    "response" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("tenant_id","environment","delivery_id","number")
);

-- CreateTable
CREATE TABLE "idempotency_records" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "status" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "is_encrypted" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("tenant_id","environment","key")
);

-- CreateTable
CREATE TABLE "request_logs" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "error_kind" TEXT,
    "idempotency_key" TEXT,
    "address" TEXT,
    "request_body" TEXT,
    "response_body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_logs_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "usage_days" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "api_requests" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("tenant_id","environment","day","api_key_id")
);

-- CreateTable
CREATE TABLE "delivery_days" (
    "tenant_id" TEXT NOT NULL,
    "environment" "Environment" NOT NULL,
    "day" DATE NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "delivery_days_pkey" PRIMARY KEY ("tenant_id","environment","day")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "tenant_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "environment" "Environment",
    "changes" JSONB NOT NULL,
    "address" TEXT,
    "request_id" TEXT,
    "previous_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("tenant_id","sequence")
);

-- CreateIndex
CREATE UNIQUE INDEX "tenants_slug_key" ON "tenants"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE INDEX "sessions_user_id_created_at_idx" ON "sessions"("user_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "customers_tenant_id_environment_email_id_idx" ON "customers"("tenant_id", "environment", "email", "id");

-- CreateIndex
CREATE INDEX "customers_tenant_id_environment_phone_id_idx" ON "customers"("tenant_id", "environment", "phone", "id");

-- CreateIndex
CREATE UNIQUE INDEX "customers_tenant_id_environment_external_id_key" ON "customers"("tenant_id", "environment", "external_id");

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_status_id_idx" ON "conversations"("tenant_id", "environment", "status", "id");

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_channel_id_id_idx" ON "conversations"("tenant_id", "environment", "channel_id", "id");

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_customer_id_id_idx" ON "conversations"("tenant_id", "environment", "customer_id", "id");

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_agent_id_id_idx" ON "conversations"("tenant_id", "environment", "agent_id", "id");

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_external_id_id_idx" ON "conversations"("tenant_id", "environment", "external_id", "id");

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_updated_at_idx" ON "conversations"("tenant_id", "environment", "updated_at");

-- CreateIndex
CREATE INDEX "conversations_tags_idx" ON "conversations" USING GIN ("tags");

-- CreateIndex
CREATE INDEX "conversations_status_snoozed_until_idx" ON "conversations"("status", "snoozed_until");

-- CreateIndex
CREATE UNIQUE INDEX "messages_tenant_id_environment_conversation_id_sequence_key" ON "messages"("tenant_id", "environment", "conversation_id", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "knowledge_bases_tenant_id_environment_name_key" ON "knowledge_bases"("tenant_id", "environment", "name");

-- CreateIndex
CREATE INDEX "documents_tenant_id_environment_knowledge_base_id_id_idx" ON "documents"("tenant_id", "environment", "knowledge_base_id", "id");

-- CreateIndex
CREATE INDEX "documents_tenant_id_environment_knowledge_base_id_status_id_idx" ON "documents"("tenant_id", "environment", "knowledge_base_id", "status", "id");

-- CreateIndex
CREATE INDEX "documents_status_tenant_id_environment_id_idx" ON "documents"("status", "tenant_id", "environment", "id");

-- CreateIndex
CREATE INDEX "documents_status_lease_expires_at_idx" ON "documents"("status", "lease_expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "documents_tenant_id_environment_knowledge_base_id_sha256_key" ON "documents"("tenant_id", "environment", "knowledge_base_id", "sha256");

-- CreateIndex
CREATE INDEX "stray_blobs_remove_after_idx" ON "stray_blobs"("remove_after");

-- CreateIndex
CREATE INDEX "events_tenant_id_environment_type_id_idx" ON "events"("tenant_id", "environment", "type", "id");

-- CreateIndex
CREATE INDEX "events_created_at_idx" ON "events"("created_at");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_environment_webhook_id_id_idx" ON "deliveries"("tenant_id", "environment", "webhook_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_environment_webhook_id_status_id_idx" ON "deliveries"("tenant_id", "environment", "webhook_id", "status", "id");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_environment_event_id_idx" ON "deliveries"("tenant_id", "environment", "event_id");

-- CreateIndex
CREATE INDEX "deliveries_status_tenant_id_environment_webhook_id_next_att_idx" ON "deliveries"("status", "tenant_id", "environment", "webhook_id", "next_attempt_at");

-- CreateIndex
CREATE INDEX "deliveries_status_next_attempt_at_idx" ON "deliveries"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "backlog_tasks_tenant_id_environment_webhook_id_idx" ON "backlog_tasks"("tenant_id", "environment", "webhook_id");

-- CreateIndex
CREATE INDEX "idempotency_records_expires_at_idx" ON "idempotency_records"("expires_at");

-- CreateIndex
CREATE INDEX "request_logs_created_at_idx" ON "request_logs"("created_at");

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_tenant_id_environment_customer_id_fkey" FOREIGN KEY ("tenant_id", "environment", "customer_id") REFERENCES "customers"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agents"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_tenant_id_environment_conversation_id_fkey" FOREIGN KEY ("tenant_id", "environment", "conversation_id") REFERENCES "conversations"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agents"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_tenant_id_environment_knowledge_base_id_fkey" FOREIGN KEY ("tenant_id", "environment", "knowledge_base_id") REFERENCES "knowledge_bases"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_chunks" ADD CONSTRAINT "document_chunks_tenant_id_environment_document_id_fkey" FOREIGN KEY ("tenant_id", "environment", "document_id") REFERENCES "documents"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_tenant_id_environment_webhook_id_fkey" FOREIGN KEY ("tenant_id", "environment", "webhook_id") REFERENCES "webhooks"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_tenant_id_environment_webhook_id_fkey" FOREIGN KEY ("tenant_id", "environment", "webhook_id") REFERENCES "webhooks"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_tenant_id_environment_event_id_fkey" FOREIGN KEY ("tenant_id", "environment", "event_id") REFERENCES "events"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "backlog_tasks" ADD CONSTRAINT "backlog_tasks_tenant_id_environment_webhook_id_fkey" FOREIGN KEY ("tenant_id", "environment", "webhook_id") REFERENCES "webhooks"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_tenant_id_environment_delivery_id_fkey" FOREIGN KEY ("tenant_id", "environment", "delivery_id") REFERENCES "deliveries"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What schema.prisma has no words for. It is part of the first migration, and here so that writing that anew keeps it.

-- Full text, in no particular language: 'simple' only lower-cases words, so that it is right for every tenant's language
-- and 2 versions of a product number stay 2. The knowledge base's id is one more word of each chunk, which the parser can
-- make of nobody's text: a search asks for it too, and the index then reads that base's entries and no other tenant's.
ALTER TABLE "document_chunks" ADD COLUMN "search" tsvector NOT NULL
  GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, "text") || array_to_tsvector(ARRAY["knowledge_base_id"])) STORED;

CREATE INDEX "document_chunks_search_idx" ON "document_chunks" USING GIN ("search");

-- Attempts that a person asked for are few among very many deliveries, and found without a glance at the others.
CREATE INDEX "deliveries_requested_idx" ON "deliveries" ("tenant_id", "environment", "webhook_id", "requested_at")
  WHERE "requested_at" IS NOT NULL;

-- Usage counts messages by direction. With it in the key's own index, that is read there alone, and writing a message
-- costs no index more.
ALTER TABLE "messages" DROP CONSTRAINT "messages_pkey",
  ADD CONSTRAINT "messages_pkey" PRIMARY KEY ("tenant_id", "environment", "id") INCLUDE ("direction");

-- Likewise the statuses of requests, which are drawn over time.
ALTER TABLE "request_logs" DROP CONSTRAINT "request_logs_pkey",
  ADD CONSTRAINT "request_logs_pkey" PRIMARY KEY ("tenant_id", "environment", "id") INCLUDE ("status");
