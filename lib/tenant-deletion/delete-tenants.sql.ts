import { waitsForSearch } from "@/lib/conversations/search-index.sql";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";

/** A table with rows of tenants, and its primary key without the tenant. */
type Table = { name: string; key: string[]; hasFiles?: true };

const ofEnvironment = (name: string, ...key: string[]): Table => ({
  name,
  key: ["environment", ...(key.length > 0 ? key : ["id"])],
});

/**
 * Every table with a tenant's rows, children before their parents, so that deleting one row does
 * not cascade to thousands. While rows are deleted, triggers write to the last tables.
 */
export const tenantTables: Table[] = [
  ofEnvironment("erasures"),
  ofEnvironment("messages"),
  ofEnvironment("conversations"),
  ofEnvironment("files"),
  ofEnvironment("customers"),
  ofEnvironment("agent_versions", "agent_id", "version"),
  ofEnvironment("agents"),
  ofEnvironment("document_chunks", "document_id", "position"),
  { ...ofEnvironment("documents"), hasFiles: true },
  ofEnvironment("knowledge_bases"),
  ofEnvironment("delivery_attempts", "delivery_id", "number"),
  ofEnvironment("deliveries"),
  ofEnvironment("events"),
  ofEnvironment("request_logs"),
  ofEnvironment("idempotency_records", "key"),
  ofEnvironment("request_hours", "hour", "api_key_id"),
  ofEnvironment("usage_days", "day", "api_key_id"),
  ofEnvironment("conversation_days", "day"),
  ofEnvironment("delivery_days", "day"),
  ofEnvironment("webhook_hours", "webhook_id", "hour"),
  ofEnvironment("webhook_warnings", "webhook_id", "failures", "created_at"),
  ofEnvironment("webhook_secrets", "webhook_id", "version"),
  ofEnvironment("backlog_tasks"),
  ofEnvironment("webhooks"),
  ofEnvironment("api_keys"),
  ofEnvironment("retention_settings", "tenant_id"),
  { name: "wipe_tasks", key: ["tenant_id"] },
  { name: "invitations", key: ["id"] },
  { name: "memberships", key: ["user_id"] },
  { name: "mails", key: ["id"] },
  ofEnvironment("conversation_visits", "conversation_id", "user_id"),
  ofEnvironment("saved_views", "user_id", "name"),
  ofEnvironment("notifications"),
  ofEnvironment("quota_warnings", "month", "plan", "percent"),
  { name: "alerts", key: ["id"] },
  { name: "alert_targets", key: ["tenant_id"] },
  ofEnvironment("conversation_tags", "tag", "conversation_id"),
  ofEnvironment("conversation_metadata", "key", "value", "conversation_id"),
  ofEnvironment("customer_metadata", "key", "value", "customer_id"),
  ofEnvironment("search_entries", "conversation_id", "message_id"),
  { name: "search_segments", key: ["id"] },
  ofEnvironment("deletions"),
  ofEnvironment("deleted_items"),
  ofEnvironment("purged_events"),
  ofEnvironment("deleted_days", "day"),
  ofEnvironment("file_totals", "tenant_id"),
  ofEnvironment("storage_days", "day"),
];

/**
 * Stored files are removed by a job, which then deletes their rows. While a move is in progress or
 * was interrupted, another installation may have a copy, which the end of the move deletes.
 */
const checkedTables = [...tenantTables.map(({ name }) => name), "stray_blobs", "tenant_moves"];

/**
 * Rows that another transaction has locked are left for the next batch. Each row is found by the
 * prefix of its primary key.
 */
const deleteBatch = ({ name, key, hasFiles }: Table) =>
  sql(
    `delete_tenant_${name}`,
    { tenantId: "text", limit: "int" },
    (p) => `
  WITH doomed AS MATERIALIZED (
    SELECT ${key.map((column) => `row.${column}`).join(", ")} FROM ${name} AS row WHERE row.tenant_id = ${p.tenantId}
    LIMIT ${p.limit} FOR UPDATE SKIP LOCKED
  ),
  deleted AS (
    DELETE FROM ${name} AS row USING ${fewRowsOf("doomed")} AS doomed
    WHERE row.tenant_id = ${p.tenantId} AND ${key.map((column) => `row.${column} = doomed.${column}`).join(" AND ")}
    RETURNING ${hasFiles ? "row.tenant_id, row.environment, row.blob_key" : "1"}
  )${hasFiles ? ", abandoned AS (INSERT INTO stray_blobs (tenant_id, environment, key, remove_after) SELECT *, now() FROM deleted)" : ""}
  SELECT count(*)::int AS deleted FROM deleted`,
  );

export const deleteTenantStatements = tenantTables.map(deleteBatch);

/**
 * Whether any rows are left, locked by another transaction or not. Those of search_changes are
 * deleted as they are indexed, up to the newest one.
 */
export const isTenantLeftStatement = sql(
  "tenant_is_left",
  { tenantId: "text", searchChangeId: "text" },
  (p) => {
    const exists = (table: string) =>
      `EXISTS (SELECT 1 FROM ${table} AS row WHERE row.tenant_id = ${p.tenantId})`;
    const all = [...checkedTables.map(exists), waitsForSearch(p.tenantId, p.searchChangeId)];
    return `SELECT ${all.join("\n    OR ")} AS "isLeft"`;
  },
);

/**
 * The deletion of the next tenant after the given one, unless another worker holds it, and the time.
 * So deletions take turns, also if one's batches fail.
 */
export const nextTenantDeletionStatement = sql(
  "next_tenant_deletion",
  { now: "clock", afterTenantId: "text" },
  (p) => `
  SELECT tenant_id AS "tenantId", ${timeOf(p.now)} AS at FROM tenant_deletions WHERE next_at <= ${timeOf(p.now)}
  ORDER BY tenant_id <= ${p.afterTenantId}, tenant_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

/** Triggers remember deleted items and count them for usage, but not those of a deleted tenant. */
export const forgetDeletedStatement = sql(
  "forget_deleted",
  {},
  () => "SELECT set_config('parlance.deleting_tenant', 'on', true)",
);

export const deleteAuditEntriesStatement = sql(
  "delete_audit_entries",
  { tenantId: "text", limit: "int" },
  (p) => `SELECT delete_audit_entries(${p.tenantId}, ${p.limit}) AS deleted`,
);
