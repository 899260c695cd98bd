import { databaseWaits } from "@/lib/platform/database-waits";
import { deliveryPool, rowsOf, runSql } from "@/lib/platform/db";
import { fewRowsOf, sql, withLockTimeout, withoutFlush } from "@/lib/platform/sql";
import type { ClaimedDelivery } from "./claim";
import { samePartition } from "./joins.sql";

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

const giveBackStatement = sql(
  "give_back_deliveries",
  {
    /** How long to wait for a locked row, such as `250ms`. A claim may wait for this statement. */
    lockTimeout: "text",
    tenantIds: "text[]",
    environments: "Environment[]",
    ids: "text[]",
    leaseHolders: "text[]",
  },
  (p) => `
  WITH given AS (
    SELECT * FROM unnest(${p.tenantIds}, ${p.environments}, ${p.ids}, ${p.leaseHolders}) AS g (tenant_id, environment, id, lease_holder)
    WHERE ${withLockTimeout(p.lockTimeout)}
  )
  UPDATE deliveries d SET lease_holder = NULL, lease_expires_at = NULL FROM ${fewRowsOf("given")} g
  WHERE ${samePartition("d", "g")} AND d.id = g.id AND d.lease_holder = g.lease_holder
    AND ${withoutFlush}`,
);

/** Ends the leases of deliveries that were claimed and not sent. They can be claimed again. */
export async function giveBack(deliveries: ClaimedDelivery[]): Promise<void> {
  await rowsOf(
    deliveryPool(),
    giveBackStatement({
      lockTimeout: `${databaseWaits.sharedLock}ms`,
      tenantIds: deliveries.map(({ tenantId }) => tenantId),
      environments: deliveries.map(({ environment }) => environment),
      ids: deliveries.map(({ id }) => id),
      leaseHolders: deliveries.map(({ leaseHolder }) => leaseHolder),
    }),
  );
}
