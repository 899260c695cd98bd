import { runSql } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";

const releaseLeasesStatement = sql(
  "release_leases",
  {},
  () => `
  UPDATE deliveries SET lease_holder = NULL, lease_expires_at = NULL
  WHERE (status = 'PENDING' OR requested_at IS NOT NULL) AND lease_expires_at > clock_timestamp()
  RETURNING 1`,
);

/**
 * Ends all leases, so that the deliveries of a killed worker are sent again immediately. Call it
 * only while a single worker runs, before it claims anything.
 * @returns how many leases were ended
 */
export async function releaseLeases(): Promise<number> {
  return (await runSql(releaseLeasesStatement({}))).length;
}
