/**
 * What is deleted of a tenant's test environment when it is wiped. Each condition is about a `row` of the table, with $1
 * the tenant's id and $2 the moment of the request: what came later stays, and what it refers to stays with it.
 */
type Wiped = { table: string; key: string[]; condition: string; returning?: string };

const isOld = (alias = "row") => `${alias}.created_at <= $2::timestamptz`;

const ofOld = (table: string, reference: string) => `EXISTS (
      SELECT 1 FROM ${table} p WHERE p.tenant_id = row.tenant_id AND p.environment = row.environment AND p.id = row.${reference} AND ${isOld("p")})`;

const none = (table: string, reference: string, id = "id") => `NOT EXISTS (
      SELECT 1 FROM ${table} c WHERE c.tenant_id = row.tenant_id AND c.environment = row.environment AND c.${reference} = row.${id})`;

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
  { table: "messages", key: ["id"], condition: ofOld("conversations", "conversation_id") },
  { table: "conversations", key: ["id"], condition: isOld() },
  { table: "customers", key: ["id"], condition: `${isOld()} AND ${none("conversations", "customer_id")}` },
  {
    table: "agent_versions",
    key: ["agent_id", "version"],
    condition: `${ofOld("agents", "agent_id")} AND ${none("conversations", "agent_id", "agent_id")}`,
  },
  { table: "agents", key: ["id"], condition: `${isOld()} AND ${none("conversations", "agent_id")}` },
  { table: "document_chunks", key: ["document_id", "position"], condition: ofOld("knowledge_bases", "knowledge_base_id") },
  { table: "documents", key: ["id"], condition: ofOld("knowledge_bases", "knowledge_base_id"), returning: "documents.blob_key AS file" },
  { table: "knowledge_bases", key: ["id"], condition: `${isOld()} AND ${none("documents", "knowledge_base_id")}` },
  { table: "delivery_attempts", key: ["delivery_id", "number"], condition: ofOld("deliveries", "delivery_id") },
  { table: "deliveries", key: ["id"], condition: isOld() },
  { table: "events", key: ["id"], condition: `${isOld()} AND ${none("deliveries", "event_id")}` },
  { table: "request_logs", key: ["id"], condition: isOld() },
  { table: "idempotency_records", key: ["key"], condition: isOld() },
  ...counted.map(({ table, time, of, asked }) => ({ table, key: [time, ...of], condition: `row.${time} < ${asked}` })),
];

// The environment is a word of each statement and no parameter, so that nothing can turn it into the other one.
const ofTest = (alias: string) => `${alias}.tenant_id = $1::text AND ${alias}.environment = 'test'`;

const deleteRows = ({ table, key, condition, returning = "NULL AS file" }: Wiped, which: string) => {
  const columns = key.map((name) => `row.${name}`).join(", ");
  const isSame = key.map((name) => `${table}.${name} = doomed.${name}`).join(" AND ");
  return `
  WITH doomed AS MATERIALIZED (
    SELECT ${columns} FROM ${table} AS row WHERE ${ofTest("row")} AND ${condition} ${which}
  )
  DELETE FROM ${table} USING doomed WHERE ${ofTest(table)} AND ${isSame}
  RETURNING ${returning}`;
};

/**
 * Run while the wipe is asked for: from then on the hour and the day under way count what comes later, and nothing else.
 * In the order in which they are counted, tables and rows, so that no two wait for each other.
 */
export const beginAnewStatements = counted.map(({ table, time, of, asked }) =>
  deleteRows({ table, key: [time, ...of], condition: `row.${time} >= ${asked}` }, `ORDER BY ${[time, ...of].join(", ")} FOR UPDATE OF row`),
);

/** $3 rows at most. What somebody else holds at the moment is left for the next batch. Returns the keys of files where there are any. */
export const wipeStatements = wiped.map((rows) => deleteRows(rows, "LIMIT $3::int FOR UPDATE OF row SKIP LOCKED"));

/** Whether anything is left, held by somebody else or not. */
export const anythingLeftSql = `SELECT ${wiped
  .map(({ table, condition }) => `EXISTS (SELECT 1 FROM ${table} AS row WHERE ${ofTest("row")} AND ${condition})`)
  .join("\n    OR ")} AS "isLeft"`;

/** Customers of newer conversations have only these any more. */
export const countAnewSql = `
  UPDATE customers AS row SET conversation_count = (
    SELECT count(*) FROM conversations c WHERE c.tenant_id = row.tenant_id AND c.environment = row.environment AND c.customer_id = row.id)
  WHERE ${ofTest("row")} AND ${isOld()}`;
