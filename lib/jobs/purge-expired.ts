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

/** Deletes idempotency records whose time is over, the oldest first. */
export async function purgeExpired(limit: number): Promise<number> {
  const rows = await runStatement(purgeIdempotencyRecordsStatement, [currentTime(), limit]);
  return rows.length;
}
