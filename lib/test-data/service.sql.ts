/**
 * What is deleted of a tenant's test environment when it is wiped. Each condition is about a `row`
 * of the table, with $1 the tenant's id and $2 the moment of the request: what came later stays,
 * and what it refers to stays with it.
 */
type Wiped = { table: string; condition: string; returning?: string };

const isOld = () => "row.created_at <= $2::timestamptz";

// Scalar subqueries, which look one row up: EXISTS would be planned as a join of two whole tables.
const ofOld = (table: string, reference: string) => `(
      SELECT p.created_at FROM ${table} p WHERE p.tenant_id = row.tenant_id AND p.environment = row.environment AND p.id = row.${reference}
    ) <= $2::timestamptz`;

const none = (table: string, reference: string, id = "id") => `(
      SELECT 1 FROM ${table} c WHERE c.tenant_id = row.tenant_id AND c.environment = row.environment AND c.${reference} = row.${id} LIMIT 1
    ) IS NULL`;

/** What was counted, a row an hour or a day, and the one in which the wipe was asked for. */
const hourOfRequest = "date_trunc('hour', $2::timestamptz, 'UTC')";
const dayOfRequest = "($2::timestamptz AT TIME ZONE 'UTC')::date";
const counted = [
  { table: "usage_days", time: "day", of: ["api_key_id"], asked: dayOfRequest },
  { table: "request_hours", time: "hour", of: ["api_key_id"], asked: hourOfRequest },
  { table: "conversation_days", time: "day", of: [], asked: dayOfRequest },
  { table: "delivery_days", time: "day", of: [], asked: dayOfRequest },
  { table: "webhook_hours", time: "hour", of: ["webhook_id"], asked: hourOfRequest },
];

/** Children before their parents, so that no row takes thousands of others with it. */
const wiped: Wiped[] = [
  { table: "messages", condition: ofOld("conversations", "conversation_id") },
  { table: "conversations", condition: isOld() },
  { table: "customers", condition: `${isOld()} AND ${none("conversations", "customer_id")}` },
  {
    table: "agent_versions",

    condition: `${ofOld("agents", "agent_id")} AND ${none("conversations", "agent_id", "agent_id")}`,
  },
  { table: "agents", condition: `${isOld()} AND ${none("conversations", "agent_id")}` },
  { table: "document_chunks", condition: ofOld("knowledge_bases", "knowledge_base_id") },
  {
    table: "documents",
    condition: ofOld("knowledge_bases", "knowledge_base_id"),
    returning: "documents.blob_key AS file",
  },
  {
    table: "knowledge_bases",
    condition: `${isOld()} AND ${none("documents", "knowledge_base_id")}`,
  },
  { table: "delivery_attempts", condition: ofOld("deliveries", "delivery_id") },
  { table: "deliveries", condition: isOld() },
  { table: "events", condition: `${isOld()} AND ${none("deliveries", "event_id")}` },
  { table: "request_logs", condition: isOld() },
  { table: "idempotency_records", condition: isOld() },
  ...counted.map(({ table, time, asked }) => ({ table, condition: `row.${time} < ${asked}` })),
];

// The environment is a word of each statement and no parameter, so that nothing can turn it into
// the other one.
const ofTest = (alias: string) => `${alias}.tenant_id = $1::text AND ${alias}.environment = 'test'`;

// Rows are found again by their place in the table: joined by their keys, a planner may read the
// whole table for a batch.
const deleteBatch = ({ table, condition, returning = "NULL AS file" }: Wiped) => `
  DELETE FROM ${table} WHERE ${ofTest(table)} AND ctid = ANY (ARRAY(
    SELECT row.ctid FROM ${table} AS row WHERE ${ofTest("row")} AND ${condition} LIMIT $3::int FOR UPDATE OF row SKIP LOCKED
  ))
  RETURNING ${returning}`;

/**
 * Run while the wipe is asked for: from then on the hour and the day under way count what comes
 * later, and nothing else. In the order in which they are counted, tables and rows, so that no two
 * wait for each other. Joined by their keys, so that a row which was counted up while this waited
 * for it goes as well.
 */
export const resetCurrentCountersStatements = counted.map(({ table, time, of, asked }) => {
  const key = [time, ...of];
  return `
  WITH doomed AS MATERIALIZED (
    SELECT ${key.join(", ")} FROM ${table} AS row WHERE ${ofTest("row")} AND row.${time} >= ${asked} ORDER BY ${key.join(", ")} FOR UPDATE
  )
  DELETE FROM ${table} USING doomed WHERE ${ofTest(table)} AND ${key.map((name) => `${table}.${name} = doomed.${name}`).join(" AND ")}`;
});

/**
 * $3 rows at most. What somebody else holds at the moment is left for the next batch. Returns the
 * keys of files where there are any.
 */
export const wipeStatements = wiped.map(deleteBatch);

/** Whether anything is left, held by somebody else or not. */
export const hasRowsLeftSql = `SELECT ${wiped
  .map(
    ({ table, condition }) =>
      `EXISTS (SELECT 1 FROM ${table} AS row WHERE ${ofTest("row")} AND ${condition})`,
  )
  .join("\n    OR ")} AS "isLeft"`;

/** Customers of newer conversations have only these any more. */
export const recountConversationsSql = `
  UPDATE customers AS row SET conversation_count = (
    SELECT count(*) FROM conversations c WHERE c.tenant_id = row.tenant_id AND c.environment = row.environment AND c.customer_id = row.id)
  WHERE ${ofTest("row")} AND ${isOld()}`;
