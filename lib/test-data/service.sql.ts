import { isDeliveryOf } from "@/lib/events/delivery-ids";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, type References, sql } from "@/lib/platform/sql";

const parameters = { tenantId: "text", requestedAt: "timestamptz" } as const;

type P = References<typeof parameters>;

/**
 * The tables of a tenant's test environment that a wipe deletes from. Each condition is about a
 * `row` of the table. Rows that are newer than the request stay, with everything that they refer
 * to.
 */
type Wiped = {
  table: string;
  /** The rest of its primary key, after tenant and environment. */
  key?: string[];
  condition: (p: P) => string;
  returning?: string;
};

const isOld = (p: P) => `row.created_at <= ${p.requestedAt}`;

// Scalar subqueries look up one row. EXISTS would be planned as a join of two whole tables.
const ofOld = (table: string, reference: string) => (p: P) =>
  `(
      SELECT p.created_at FROM ${table} p WHERE p.tenant_id = row.tenant_id AND p.environment = row.environment AND p.id = row.${reference}
    ) <= ${p.requestedAt}`;

const none = (table: string, reference: string, id = "id", bounds = "true") => `(
      SELECT 1 FROM ${table} c WHERE c.tenant_id = row.tenant_id AND c.environment = row.environment AND c.${reference} = row.${id} AND ${bounds} LIMIT 1
    ) IS NULL`;

/**
 * Times follow the sequence, so the newest message decides. Notes are messages, too. PostgreSQL reads
 * the row's count again once it has locked it. It does not find a message that was posted since the
 * statement began, so the conversation stays.
 */
const hasNoNewMessage = (p: P) => `(row.message_count = 0 OR (
      SELECT m.created_at FROM messages m WHERE m.tenant_id = row.tenant_id AND m.environment = row.environment AND m.conversation_id = row.id AND m.sequence = row.message_count
    ) <= ${p.requestedAt})`;

/**
 * An upload changes the counts of its knowledge base. One that commits after the statement began is not
 * among the documents that the statement sees, and would be deleted with the base. PostgreSQL reads
 * the base again once it has locked it, so the base stays. A conversation needs no such check: its
 * reference refuses the deletion of its customer or agent, and the batch is repeated.
 */
const isUnchanged = `row.xmin = (
      SELECT b.xmin FROM knowledge_bases b WHERE b.tenant_id = row.tenant_id AND b.environment = row.environment AND b.id = row.id
    )`;

/** Counts, one row an hour or a day, and the row in which the wipe was requested. */
const hourOfRequest = (p: P) => `date_trunc('hour', ${p.requestedAt}, 'UTC')`;
const dayOfRequest = (p: P) => `(${p.requestedAt} AT TIME ZONE 'UTC')::date`;
const counted = [
  { table: "usage_days", time: "day", of: ["api_key_id"], ofRequest: dayOfRequest },
  { table: "request_hours", time: "hour", of: ["api_key_id"], ofRequest: hourOfRequest },
  { table: "conversation_days", time: "day", of: [], ofRequest: dayOfRequest },
  { table: "deleted_days", time: "day", of: [], ofRequest: dayOfRequest },
  { table: "delivery_days", time: "day", of: [], ofRequest: dayOfRequest },
  { table: "webhook_hours", time: "hour", of: ["webhook_id"], ofRequest: hourOfRequest },
];

/**
 * Children before their parents, so that deleting one row does not cascade to thousands. Only messages
 * come after their conversation, to which they are not tied: then no conversation ever lacks some of
 * its messages, and one that gets a message meanwhile stays with all of them.
 */
const wiped: Wiped[] = [
  { table: "conversations", condition: (p) => `${isOld(p)} AND ${hasNoNewMessage(p)}` },
  {
    table: "messages",
    condition: (p) => `${isOld(p)} AND ${none("conversations", "id", "conversation_id")}`,
  },
  // The others go with their messages, or stay with newer ones.
  { table: "files", condition: (p) => `${isOld(p)} AND row.message_id IS NULL` },
  {
    table: "customers",
    condition: (p) => `${isOld(p)} AND ${none("conversations", "customer_id")}`,
  },
  // With their versions, so that an agent that stays has all of them. Members publish each one, so
  // they are few.
  { table: "agents", condition: (p) => `${isOld(p)} AND ${none("conversations", "agent_id")}` },
  {
    table: "document_chunks",
    key: ["document_id", "position"],
    condition: ofOld("documents", "document_id"),
  },
  {
    table: "documents",
    condition: isOld,
    returning: "row.blob_key AS file",
  },
  {
    table: "knowledge_bases",
    condition: (p) =>
      `${isOld(p)} AND ${none("documents", "knowledge_base_id")} AND ${isUnchanged}`,
  },
  {
    table: "delivery_attempts",
    key: ["delivery_id", "number"],
    condition: ofOld("deliveries", "delivery_id"),
  },
  { table: "deliveries", condition: isOld },
  {
    table: "events",
    condition: (p) =>
      `${isOld(p)} AND ${none("deliveries", "event_id", "id", isDeliveryOf("c.id", "row.id"))}`,
  },
  // One in progress still has to clear what stays.
  { table: "erasures", condition: (p) => `${isOld(p)} AND row.completed_at IS NOT NULL` },
  { table: "notifications", condition: isOld },
  { table: "request_logs", condition: isOld },
  { table: "idempotency_records", key: ["key"], condition: isOld },
  ...counted.map(({ table, time, of, ofRequest }) => ({
    table,
    key: [time, ...of],
    condition: (p: P) => `row.${time} < ${ofRequest(p)}`,
  })),
];

// The environment is part of each statement's text and not a parameter, so that no caller can pass
// the other one.
const ofTest = (alias: string, p: Pick<P, "tenantId">) =>
  `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = 'test'`;

const deleteBatch = ({ table, key = ["id"], condition, returning = "NULL AS file" }: Wiped) =>
  sql(
    `wipe_${table}`,
    { ...parameters, limit: "int" },
    (p) => `
  WITH doomed AS MATERIALIZED (
    SELECT ${key.map((name) => `row.${name}`).join(", ")} FROM ${table} AS row WHERE ${ofTest("row", p)} AND ${condition(p)}
    LIMIT ${p.limit} FOR UPDATE OF row SKIP LOCKED
  )
  DELETE FROM ${table} AS row USING ${fewRowsOf("doomed")} AS doomed
  WHERE ${ofTest("row", p)} AND ${key.map((name) => `row.${name} = doomed.${name}`).join(" AND ")}
  RETURNING ${returning}`,
  );

/**
 * Runs when the wipe is requested: from then on, the counts of the current hour and day contain
 * only later requests. Tables and rows are locked in the same order as when they are counted, so
 * that two transactions never wait for each other. Rows are joined by their keys, so that a row
 * that was updated while this statement waited for it is deleted too.
 */
export const resetCurrentCountersStatements = counted.map(({ table, time, of, ofRequest }) => {
  const key = [time, ...of];
  return sql(
    `reset_${table}`,
    parameters,
    (p) => `
  WITH doomed AS MATERIALIZED (
    SELECT ${key.join(", ")} FROM ${table} AS row WHERE ${ofTest("row", p)} AND row.${time} >= ${ofRequest(p)} ORDER BY ${key.join(", ")} FOR UPDATE
  )
  DELETE FROM ${table} USING doomed WHERE ${ofTest(table, p)} AND ${key.map((name) => `${table}.${name} = doomed.${name}`).join(" AND ")}`,
  );
});

/**
 * Rows that another transaction has locked are left for the next batch. Returns the keys of the
 * rows' files, if they have any.
 */
export const wipeStatements = wiped.map(deleteBatch);

/** Whether any rows are left, locked by another transaction or not. */
export const isWipeUnfinishedStatement = sql("wipe_is_unfinished", parameters, (p) => {
  const exists = ({ table, condition }: Wiped) =>
    `EXISTS (SELECT 1 FROM ${table} AS row WHERE ${ofTest("row", p)} AND ${condition(p)})`;
  return `SELECT ${wiped.map(exists).join("\n    OR ")} AS "isLeft"`;
});

const conversationsOfRow = `(
    SELECT count(*) FROM conversations c WHERE c.tenant_id = row.tenant_id AND c.environment = row.environment AND c.customer_id = row.id)`;

/**
 * Locks the customers that still count wiped conversations. Run before the recount, in a statement of
 * its own, so that the recount sees every conversation that a transaction has counted already. The
 * counts of the others are right and stay so: a transaction that creates or deletes a conversation
 * also counts it.
 */
export const lockMiscountedCustomersStatement = sql(
  "lock_miscounted_customers",
  { tenantId: "text" },
  (p) => `
  WITH miscounted AS MATERIALIZED (
    SELECT id FROM customers AS row WHERE ${ofTest("row", p)} AND row.conversation_count <> ${conversationsOfRow}
  )
  SELECT row.id FROM customers AS row JOIN miscounted ON miscounted.id = row.id
  WHERE ${ofTest("row", p)} ORDER BY row.id FOR NO KEY UPDATE OF row`,
);

/** Sets the counts of these customers. */
export const recountConversationsStatement = sql(
  "recount_conversations",
  { tenantId: "text", ids: "text[]" },
  (p) => `
  UPDATE customers AS row SET conversation_count = ${conversationsOfRow}
  WHERE ${ofTest("row", p)} AND row.id = ANY (${p.ids})`,
);

/**
 * Run before the recount, in a statement of its own, so that the recount sees every document that a
 * transaction has counted already.
 */
export const lockKnowledgeBasesStatement = sql(
  "lock_wiped_knowledge_bases",
  parameters,
  (p) =>
    `SELECT 1 FROM knowledge_bases AS row WHERE ${ofTest("row", p)} AND ${isOld(p)} ORDER BY id FOR NO KEY UPDATE`,
);

/** Sets the counts of knowledge bases that have only newer documents now. */
export const recountDocumentsStatement = sql(
  "recount_documents",
  parameters,
  (p) => `
  UPDATE knowledge_bases AS row SET (pending_count, processing_count, ready_count, failed_count, size_bytes) = (
    SELECT count(*) FILTER (WHERE d.status = 'PENDING'), count(*) FILTER (WHERE d.status = 'PROCESSING'),
      count(*) FILTER (WHERE d.status = 'READY'), count(*) FILTER (WHERE d.status = 'FAILED'), coalesce(sum(d.size_bytes), 0)
    FROM documents d WHERE d.tenant_id = row.tenant_id AND d.environment = row.environment AND d.knowledge_base_id = row.id)
  WHERE ${ofTest("row", p)} AND ${isOld(p)}`,
);

/** The wipe of the next tenant after the given one. So wipes take turns, also if one's batches fail. */
export const nextWipeStatement = sql(
  "next_wipe",
  { afterTenantId: "text" },
  (p) => `
  SELECT tenant_id AS "tenantId" FROM wipe_tasks WHERE ${isNotMoving("tenant_id")}
  ORDER BY tenant_id <= ${p.afterTenantId}, tenant_id LIMIT 1`,
);

/** Returns no row while another worker holds it, or once it has ended. */
export const lockWipeStatement = sql(
  "lock_wipe",
  { tenantId: "text" },
  (p) =>
    `SELECT requested_at AS "requestedAt" FROM wipe_tasks WHERE tenant_id = ${p.tenantId} FOR UPDATE SKIP LOCKED`,
);
