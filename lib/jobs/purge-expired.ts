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
  purge("request_hours", ["tenant_id", "environment", "hour", "api_key_id"], { column: "hour", isExpired: `hour <= ${days(31)}` }),
  purge("sessions", ["id"], { column: "expires_at", isExpired: `expires_at <= ${days(30)}` }),
  purge("mails", ["id"], { column: "created_at", isExpired: `created_at <= ${days(30)} AND status <> 'PENDING'` }),
  purge("invitations", ["tenant_id", "id"], { column: "expires_at", isExpired: `expires_at <= ${days(30)}` }),
  purge("password_resets", ["id"], { column: "created_at", isExpired: `created_at <= ${days(1)}` }),
  purge("webhook_warnings", ["tenant_id", "environment", "webhook_id", "failures", "created_at"], {
    column: "created_at",
    isExpired: `created_at <= ${days(30)}`,
  }),
  purge("deleted_items", ["tenant_id", "environment", "id"], { column: "deleted_at", isExpired: `deleted_at <= ${days(30)}` }),
  purge("purged_events", ["tenant_id", "environment", "id"], { column: "purged_at", isExpired: `purged_at <= ${days(30)}` }),
];

/** An event's deliveries and their attempts go with it, and there may be twenty of the first and many of the second. */
const eventsShare = 10;

/**
 * Looks at a batch of events whose time is over. One that has a delivery still to be sent, or held for less than 30 days,
 * is put off, and every other one is deleted, with its deliveries and their attempts. What was held for 30 days is given
 * up first, and can be seen as such for another week. $2 events at most.
 */
const purgeEventsStatement: Statement = {
  name: "purge_events",
  text: `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, environment, id FROM events WHERE expires_at <= ${now} ORDER BY expires_at LIMIT $2::int FOR UPDATE SKIP LOCKED
  ),
  waiting AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.id, d.event_id, d.status = 'HELD' AND d.updated_at <= ${days(30)} AS is_given_up,
      CASE WHEN d.status <> 'HELD' THEN ${now} + interval '1 day'
        WHEN d.updated_at > ${days(30)} THEN d.updated_at + interval '30 days'
        ELSE ${now} + interval '7 days' END AS look_again_at
    FROM due e
    JOIN deliveries d ON d.tenant_id = e.tenant_id AND d.environment = e.environment AND d.event_id = e.id
    WHERE d.status IN ('PENDING', 'HELD') OR d.requested_at IS NOT NULL
  ),
  given_up AS (
    UPDATE deliveries d SET status = 'DISCARDED', updated_at = ${now} FROM waiting w
    WHERE w.is_given_up AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.id = w.id AND d.status = 'HELD'
  ),
  put_off AS (
    UPDATE events e SET expires_at = w.look_again_at
    FROM (SELECT tenant_id, environment, event_id, max(look_again_at) AS look_again_at FROM waiting GROUP BY 1, 2, 3) w
    WHERE e.tenant_id = w.tenant_id AND e.environment = w.environment AND e.id = w.event_id
  ),
  deleted AS (
    DELETE FROM events e USING due
    WHERE e.tenant_id = due.tenant_id AND e.environment = due.environment AND e.id = due.id
      AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.tenant_id = e.tenant_id AND w.environment = e.environment AND w.event_id = e.id)
  )
  SELECT 1 FROM due`,
};

/**
 * Deletes what is kept no longer: idempotency records whose time is over; request logs, events with their deliveries,
 * webhooks' hours and warnings, and mails of 30 days ago, and sessions and invitations that ended then; a day later the hourly
 * counts of requests. A batch takes some milliseconds.
 * @returns `limit` where a whole batch of any kind was found, and there may be more
 */
export async function purgeExpired(limit: number): Promise<number> {
  let most = 0;
  for (const statement of purges) most = Math.max(most, (await runStatement(statement, [currentTime(), limit])).length);
  const events = await runStatement(purgeEventsStatement, [currentTime(), Math.max(1, Math.floor(limit / eventsShare))]);
  return Math.min(limit, Math.max(most, events.length * eventsShare));
}
