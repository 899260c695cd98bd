import { runSql } from "@/lib/platform/db";
import { log } from "@/lib/platform/log";
import { sql, timeOf } from "@/lib/platform/sql";

const clock = { now: "clock" } as const;
const daysBefore = (now: string, days: number) => `${now} - interval '${days} days'`;

/** Rows of `table` are deleted this many days after the time in `column`, which must be indexed. */
type Retention = { table: string; column: string; days: number; except?: string };

const retentions: Retention[] = [
  { table: "idempotency_records", column: "expires_at", days: 0 },
  { table: "request_logs", column: "created_at", days: 30 },
  { table: "webhook_hours", column: "hour", days: 30 },
  { table: "request_hours", column: "hour", days: 31 },
  { table: "sessions", column: "expires_at", days: 30 },
  { table: "mails", column: "created_at", days: 30, except: "status = 'PENDING'" },
  { table: "invitations", column: "expires_at", days: 30 },
  { table: "password_resets", column: "created_at", days: 1 },
  { table: "webhook_warnings", column: "created_at", days: 30 },
  { table: "deleted_items", column: "deleted_at", days: 30 },
  { table: "purged_events", column: "purged_at", days: 30 },
];

const isExpired = (now: string, { column, days, except }: Retention) =>
  `${column} <= ${daysBefore(now, days)}${except ? ` AND NOT (${except})` : ""}`;

/**
 * Deletes a batch, oldest rows first, and skips rows that another transaction has locked. The limit
 * is part of the SQL text, and rows are found by ctid: a planner that guesses the limit, or joins
 * the batch with its table, may read the whole table.
 */
const purgeStatement = (retention: Retention, limit: number) =>
  sql(
    `purge_${retention.table}`,
    clock,
    (p) => `
  DELETE FROM ${retention.table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${retention.table} WHERE ${isExpired(timeOf(p.now), retention)} ORDER BY ${retention.column} LIMIT ${limit} FOR UPDATE SKIP LOCKED
  ))
  RETURNING 1`,
  );

/**
 * Deleting an event also deletes its deliveries and their attempts. It may have twenty deliveries
 * with many attempts each.
 */
const eventsShare = 10;

/**
 * Processes a batch of expired events. An event with a pending delivery, or one held for less than
 * 30 days, is postponed. Every other event is deleted with its deliveries and their attempts.
 * Deliveries held for 30 days are first marked as discarded, and stay visible for another week.
 */
const purgeEventsStatement = (limit: number) =>
  sql("purge_events", clock, (p) => {
    const now = timeOf(p.now);
    return `
  WITH due AS MATERIALIZED (
    SELECT ctid AS row, tenant_id, environment, id FROM events WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  ),
  waiting AS MATERIALIZED (
    SELECT due.row, d.id AS delivery_id, d.tenant_id, d.environment, d.status = 'HELD' AND d.updated_at <= ${daysBefore(now, 30)} AS is_given_up,
      CASE WHEN d.status <> 'HELD' THEN ${now} + interval '1 day'
        WHEN d.updated_at > ${daysBefore(now, 30)} THEN d.updated_at + interval '30 days'
        ELSE ${now} + interval '7 days' END AS look_again_at
    FROM due CROSS JOIN LATERAL (
      SELECT * FROM deliveries d
      WHERE d.tenant_id = due.tenant_id AND d.environment = due.environment AND d.event_id = due.id
        AND (d.status IN ('PENDING', 'HELD') OR d.requested_at IS NOT NULL)
      OFFSET 0
    ) d
  ),
  given_up AS (
    UPDATE deliveries d SET status = 'DISCARDED', updated_at = ${now} FROM waiting w
    WHERE w.is_given_up AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.id = w.delivery_id AND d.status = 'HELD'
  ),
  put_off AS (
    UPDATE events e SET expires_at = w.look_again_at
    FROM (SELECT row, max(look_again_at) AS look_again_at FROM waiting GROUP BY row) w WHERE e.ctid = w.row
  ),
  deleted AS (
    DELETE FROM events WHERE ctid = ANY (ARRAY(SELECT row FROM due WHERE row NOT IN (SELECT row FROM waiting)))
  )
  SELECT 1 FROM due`;
  });

/** How long the oldest expired row has waited to be deleted, and its table. */
const oldestExpiredStatement = sql("oldest_expired_rows", clock, (p) => {
  const now = timeOf(p.now);
  return [...retentions, { table: "events", column: "expires_at", days: 0 }]
    .map((retention) => {
      const age = `extract(epoch FROM ${daysBefore(now, retention.days)} - ${retention.column})::float8`;
      const oldest = `SELECT ${age} FROM ${retention.table} WHERE ${isExpired(now, retention)} ORDER BY ${retention.column} LIMIT 1`;
      return `SELECT '${retention.table}' AS table, (${oldest}) AS seconds`;
    })
    .join("\nUNION ALL ")
    .concat("\nORDER BY seconds DESC NULLS LAST LIMIT 1");
});

/** The oldest row that should have been deleted; `seconds` is 0 if there is none. */
export async function oldestExpired(): Promise<{ table: string; seconds: number }> {
  const [row] = await runSql<{ table: string; seconds: number | null }>(oldestExpiredStatement({}));
  return { table: row?.table ?? "", seconds: row?.seconds ?? 0 };
}

/**
 * Deletes a batch of expired rows from each table; see `retentions` and `purgeEventsStatement` for
 * what expires when. A batch takes a few milliseconds. If a table cannot be purged now, that is
 * logged and the others go on.
 * @returns `limit` if any table had a full batch, so there may be more
 */
export async function purgeExpired(limit: number): Promise<number> {
  const eventLimit = Math.max(1, Math.floor(limit / eventsShare));
  const batches = [
    ...retentions.map((retention) => ({
      table: retention.table,
      statement: purgeStatement(retention, limit),
      weight: 1,
    })),
    { table: "events", statement: purgeEventsStatement(eventLimit), weight: eventsShare },
  ];
  let most = 0;
  for (const { table, statement, weight } of batches) {
    try {
      most = Math.max(most, (await runSql(statement({}))).length * weight);
    } catch (error) {
      log.warn(
        { table, error: (error as Error).message },
        "expired rows could not be deleted and will be tried again",
      );
    }
  }
  return Math.min(limit, most);
}
