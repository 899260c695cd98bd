import { runStatement, type Statement } from "@/lib/platform/db";

const releaseLeasesStatement: Statement = {
  name: "release_leases",
  text: `
  UPDATE deliveries SET lease_holder = NULL, lease_expires_at = NULL
  WHERE (status = 'PENDING' OR requested_at IS NOT NULL) AND lease_expires_at > clock_timestamp()
  RETURNING 1`,
};

/**
 * For a worker that knows itself to be the only one, before it claims: whatever is leased belonged
 * to a predecessor that was killed, and need not wait for the lease to end. @returns how many
 * deliveries that were
 */
export async function releaseLeases(): Promise<number> {
  const rows = await runStatement(releaseLeasesStatement, []);
  return rows.length;
}
