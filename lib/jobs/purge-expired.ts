import { runStatement, type Statement } from "@/lib/db";
import { currentTime } from "@/lib/jobs/time";

const now = "coalesce($1::timestamptz, now())";

/** Deletes a batch of $2 rows, the oldest first, without waiting for any that somebody else holds. */
function purge(table: string, key: string[], { column, isExpired }: { column: string; isExpired: string }): Statement {
  const columns = key.join(", ");
  return {
    name: `purge_${table}`,
    text: `
    WITH expired AS MATERIALIZED (
      SELECT ${columns} FROM ${table} AS row WHERE ${isExpired} ORDER BY ${column} LIMIT $2::int FOR UPDATE SKIP LOCKED
    )
    DELETE FROM ${table} USING expired WHERE ${key.map((name) => `${table}.${name} = expired.${name}`).join(" AND ")}
    RETURNING 1`,
  };
}

const days = (count: number) => `${now} - interval '${count} days'`;

const purges = [
  purge("idempotency_records", ["tenant_id", "environment", "key"], { column: "expires_at", isExpired: `expires_at <= ${now}` }),
  purge("request_logs", ["tenant_id", "environment", "id"], { column: "created_at", isExpired: `created_at <= ${days(30)}` }),
  purge("webhook_hours", ["tenant_id", "environment", "webhook_id", "hour"], { column: "hour", isExpired: `hour <= ${days(30)}` }),
  purge("sessions", ["id"], { column: "expires_at", isExpired: `expires_at <= ${days(30)}` }),
  purge("mails", ["id"], { column: "created_at", isExpired: `created_at <= ${days(30)} AND status <> 'PENDING'` }),
  purge("invitations", ["tenant_id", "id"], { column: "expires_at", isExpired: `expires_at <= ${days(30)}` }),
  purge("password_resets", ["id"], { column: "created_at", isExpired: `created_at <= ${days(1)}` }),
  // With an event go its deliveries and their attempts, so one that is still to be sent somewhere stays.
  purge("events", ["tenant_id", "environment", "id"], {
    column: "created_at",
    isExpired: `created_at <= ${days(30)} AND NOT EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.tenant_id = row.tenant_id AND d.environment = row.environment AND d.event_id = row.id AND d.status = 'PENDING')`,
  }),
];

/**
 * Deletes what is kept no longer: idempotency records whose time is over; request logs, events, mails and webhooks' hours of
 * 30 days ago, and sessions and invitations that ended then.
 * @returns how many of the kind that most were deleted of, so that a whole batch of any tells that there may be more
 */
export async function purgeExpired(limit: number): Promise<number> {
  let most = 0;
  for (const statement of purges) most = Math.max(most, (await runStatement(statement, [currentTime(), limit])).length);
  return most;
}
