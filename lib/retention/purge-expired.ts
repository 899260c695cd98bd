import { isDeliveryOf } from "@/lib/events/delivery-ids";
import { runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, type Query, sql, timeOf } from "@/lib/platform/sql";
import { warnOfFailure } from "@/lib/platform/warn-of-failure";
import { dropPartitionsStatement } from "./partitions";

const log = logOf("jobs");

const clock = { now: "clock" } as const;
const daysBefore = (now: string, days: number) => `${now} - interval '${days} days'`;

/**
 * Rows of `table` are deleted this many days after the time in `column`, which must be indexed.
 * `key` is its primary key.
 */
type Retention = {
  table: string;
  key: string[];
  column: string;
  days: number;
  only?: string;
};

const tenantColumn = "tenant_id";
const tenantKey = (...rest: string[]) => [tenantColumn, "environment", ...rest];

/** Request logs in a partition of their week are dropped with it (./partitions.ts). */
const retentions: Retention[] = [
  { table: "idempotency_records", key: tenantKey("key"), column: "expires_at", days: 0 },
  { table: "request_logs_default", key: tenantKey("id"), column: "created_at", days: 30 },
  { table: "webhook_hours", key: tenantKey("webhook_id", "hour"), column: "hour", days: 30 },
  { table: "request_hours", key: tenantKey("hour", "api_key_id"), column: "hour", days: 31 },
  { table: "sessions", key: ["id"], column: "expires_at", days: 30 },
  { table: "mails", key: ["id"], column: "created_at", days: 30, only: "status <> 'PENDING'" },
  { table: "notifications", key: tenantKey("id"), column: "created_at", days: 30 },
  { table: "alerts", key: ["id"], column: "created_at", days: 30, only: "status <> 'PENDING'" },
  // Longer than the month that it belongs to.
  {
    table: "quota_warnings",
    key: tenantKey("month", "plan", "percent"),
    column: "created_at",
    days: 62,
  },
  { table: "invitations", key: ["tenant_id", "id"], column: "expires_at", days: 30 },
  { table: "email_changes", key: ["token_hash"], column: "requested_at", days: 30 },
  { table: "password_resets", key: ["id"], column: "created_at", days: 1 },
  {
    table: "webhook_warnings",
    key: tenantKey("webhook_id", "failures", "created_at"),
    column: "created_at",
    days: 30,
  },
  {
    table: "files",
    key: tenantKey("id"),
    column: "created_at",
    days: 1,
    only: "message_id IS NULL",
  },
  { table: "deleted_items", key: tenantKey("id"), column: "deleted_at", days: 30 },
  // A day that is not counted yet still needs what was deleted of it.
  {
    table: "deleted_days",
    key: tenantKey("day"),
    column: "day",
    days: 60,
    only: "NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = tenant_id AND t.counted_until <= day)",
  },
  // Longer than an event about a deleted conversation is usually needed: 37 days, 30 with a held
  // delivery, and 7 with a discarded one.
  { table: "deletions", key: tenantKey("id"), column: "finished_at", days: 90 },
  { table: "usage_writers", key: ["id"], column: "written_on", days: 7 },
  { table: "purged_events", key: tenantKey("id"), column: "purged_at", days: 30 },
];

const isExpired = (now: string, { column, days, only }: Retention) =>
  `${column} <= ${daysBefore(now, days)}${only ? ` AND ${only}` : ""}`;

const same = (key: string[], a: string, b: string) =>
  key.map((column) => `${a}.${column} = ${b}.${column}`).join(" AND ");

/**
 * Deletes a batch, oldest rows first, and skips rows that another transaction has locked. The limit
 * is part of the SQL text, because a planner that guesses it may read the whole table.
 */
const purgeStatement = (retention: Retention, limit: number) => {
  const { table, key, column } = retention;
  const isOfTenants = key.includes(tenantColumn);
  return sql(
    `purge_${table}`,
    clock,
    (p) => `
  WITH due AS MATERIALIZED (
    SELECT ${key.join(", ")} FROM ${table} WHERE ${isExpired(timeOf(p.now), retention)}${isOfTenants ? ` AND ${isNotMoving(tenantColumn)}` : ""}
    ORDER BY ${column} LIMIT ${limit} FOR UPDATE SKIP LOCKED
  )
  DELETE FROM ${table} AS row USING ${fewRowsOf("due")} AS due WHERE ${same(key, "row", "due")}
  RETURNING 1`,
  );
};

/**
 * Deleting an event also deletes its deliveries and their attempts. It may have twenty deliveries
 * with many attempts each.
 */
const eventsShare = 10;

const eventKey = tenantKey("id");

/**
 * Processes a batch of expired events in the default partition: those that had unfinished
 * deliveries when their week was dropped. An event with a delivery that is pending, held, or was
 * discarded less than a week ago is postponed. Every other event is deleted with its deliveries and
 * their attempts.
 */
const purgeEventsStatement = (limit: number) =>
  sql("purge_events", clock, (p) => {
    const now = timeOf(p.now);
    return `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, environment, id FROM events_default WHERE expires_at <= ${now} AND ${isNotMoving("tenant_id")} ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  ),
  waiting AS MATERIALIZED (
    SELECT due.*, CASE d.status
        WHEN 'HELD' THEN d.updated_at + interval '30 days'
        WHEN 'DISCARDED' THEN d.updated_at + interval '7 days'
        ELSE ${now} + interval '1 day' END AS look_again_at
    FROM due CROSS JOIN LATERAL (
      SELECT d.status, d.updated_at FROM deliveries d
      WHERE d.tenant_id = due.tenant_id AND d.environment = due.environment AND d.event_id = due.id
        AND ${isDeliveryOf("d.id", "due.id")}
        AND (d.status IN ('PENDING', 'HELD') OR d.requested_at IS NOT NULL
          OR d.status = 'DISCARDED' AND d.updated_at > ${daysBefore(now, 7)})
      OFFSET 0
    ) d
  ),
  put_off AS (
    UPDATE events_default e SET expires_at = greatest(w.look_again_at, ${now} + interval '1 minute')
    FROM (SELECT ${eventKey.join(", ")}, max(look_again_at) AS look_again_at FROM waiting GROUP BY ${eventKey.join(", ")} LIMIT ${limit}) w
    WHERE ${same(eventKey, "e", "w")}
  ),
  finished AS MATERIALIZED (
    SELECT ${eventKey.join(", ")} FROM due EXCEPT SELECT ${eventKey.join(", ")} FROM waiting
  ),
  deleted AS (
    DELETE FROM events e USING ${fewRowsOf("finished")} f WHERE ${same(eventKey, "e", "f")}
  )
  SELECT 1 FROM due`;
  });

/** A delivery that was held for 30 days is discarded. It stays visible for another week. */
const giveUpHeldStatement = (limit: number) =>
  sql(
    "give_up_held_deliveries",
    clock,
    (p) => `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, environment, webhook_id, id FROM deliveries WHERE status = 'HELD' AND updated_at <= ${daysBefore(timeOf(p.now), 30)} AND ${isNotMoving("tenant_id")}
    ORDER BY updated_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE deliveries d SET status = 'DISCARDED', updated_at = ${timeOf(p.now)}
  FROM ${fewRowsOf("due")} AS due WHERE ${same(tenantKey("webhook_id", "id"), "d", "due")} AND d.status = 'HELD'
  RETURNING 1`,
  );

/** How long the oldest expired row or partition has waited to be deleted, and its table. */
const oldestExpiredStatement = sql("oldest_expired_rows", clock, (p) => {
  const now = timeOf(p.now);
  const ageOf = (time: string) => `extract(epoch FROM ${time})::float8`;
  const events = { table: "events_default", key: eventKey, column: "expires_at", days: 0 };
  const rows = [...retentions, events].map((retention) => {
    const age = ageOf(`${daysBefore(now, retention.days)} - ${retention.column}`);
    const oldest = `SELECT ${age} FROM ${retention.table} WHERE ${isExpired(now, retention)} ORDER BY ${retention.column} LIMIT 1`;
    return `SELECT '${retention.table.replace("_default", "")}' AS table, (${oldest}) AS seconds`;
  });
  const partitions = ["events", "request_logs"].map(
    (table) =>
      `SELECT '${table}', (SELECT ${ageOf(`${now} - min(expired_at)`)} FROM expired_weeks('${table}', ${now}) WHERE is_droppable)`,
  );
  return `${[...rows, ...partitions].join("\nUNION ALL ")}\nORDER BY seconds DESC NULLS LAST LIMIT 1`;
});

/** The oldest row that should have been deleted; `seconds` is 0 if there is none. */
export async function oldestExpired(): Promise<{ table: string; seconds: number }> {
  const [row] = await runSql<{ table: string; seconds: number | null }>(oldestExpiredStatement({}));
  return { table: row?.table ?? "", seconds: row?.seconds ?? 0 };
}

/**
 * Drops expired partitions, and deletes a batch of expired rows from each table; see `retentions`
 * and `purgeEventsStatement` for what expires when. A batch takes a few milliseconds. If a table
 * cannot be purged now, that is logged, and the other tables are purged.
 * @returns `limit` if any table had a full batch, so there may be more
 */
export async function purgeExpired(limit: number): Promise<number> {
  const eventLimit = Math.max(1, Math.floor(limit / eventsShare));
  const batches: { table: string; statement: Query; weight: number }[] = [
    { table: "partitions", statement: dropPartitionsStatement({}), weight: limit },
    ...retentions.map((retention) => ({
      table: retention.table,
      statement: purgeStatement(retention, limit)({}),
      weight: 1,
    })),
    { table: "deliveries", statement: giveUpHeldStatement(eventLimit)({}), weight: eventsShare },
    { table: "events", statement: purgeEventsStatement(eventLimit)({}), weight: eventsShare },
  ];
  let most = 0;
  for (const { table, statement, weight } of batches) {
    try {
      most = Math.max(most, (await runSql(statement)).length * weight);
    } catch (error) {
      const message = "expired rows could not be deleted and will be tried again";
      warnOfFailure(log, error, { table }, message);
    }
  }
  return Math.min(limit, most);
}
