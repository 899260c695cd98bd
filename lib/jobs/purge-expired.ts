import { runStatement, type Statement } from "@/lib/db";
import { currentTime } from "@/lib/jobs/time";

const purgeIdempotencyRecordsStatement: Statement = {
  name: "purge_idempotency_records",
  text: `
  WITH expired AS MATERIALIZED (
    SELECT tenant_id, environment, key FROM idempotency_records
    WHERE expires_at <= coalesce($1::timestamptz, now()) ORDER BY expires_at LIMIT $2::int FOR UPDATE SKIP LOCKED
  )
  DELETE FROM idempotency_records r USING expired e
  WHERE r.tenant_id = e.tenant_id AND r.environment = e.environment AND r.key = e.key
  RETURNING 1`,
};

const purgeRequestLogsStatement: Statement = {
  name: "purge_request_logs",
  text: `
  WITH expired AS MATERIALIZED (
    SELECT tenant_id, environment, id FROM request_logs
    WHERE created_at <= coalesce($1::timestamptz, now()) - interval '30 days' ORDER BY created_at LIMIT $2::int FOR UPDATE SKIP LOCKED
  )
  DELETE FROM request_logs r USING expired e
  WHERE r.tenant_id = e.tenant_id AND r.environment = e.environment AND r.id = e.id
  RETURNING 1`,
};

/**
 * Deletes idempotency records whose time is over and request logs of 30 days ago, the oldest first.
 * @returns how many of the kind that more were deleted of, so that a whole batch of either tells that there may be more
 */
export async function purgeExpired(limit: number): Promise<number> {
  const values = [currentTime(), limit];
  const records = await runStatement(purgeIdempotencyRecordsStatement, values);
  const requests = await runStatement(purgeRequestLogsStatement, values);
  return Math.max(records.length, requests.length);
}
