import { type Db, runSql } from "./db";
import { sql } from "./sql";

// While a tenant is moved to another installation, triggers refuse changes of its rows or leave them
// out (`guard_moving_tenant` in prisma/beyond-schema.sql): in the source for seconds, in the target for
// as long as the copy takes. Jobs leave the tenant out from the start. A change that does not happen
// would fail the job's batch, or the same rows would come first each time, and others would wait.

const selectPaused = `SELECT m.tenant_id FROM tenant_moves m
    WHERE m.state <> 'COPYING' AND (m.stopped_until IS NULL OR m.stopped_until > clock_timestamp())`;

/**
 * The condition that the rows of this tenant can be changed. PostgreSQL reads the moves once per
 * statement. `coalesce` keeps the planner from guessing that most rows are of tenants that move.
 * @param tenantId a column
 */
export const isNotMoving = (tenantId: string) =>
  `NOT coalesce(${tenantId} = ANY (ARRAY(${selectPaused})), false)`;

const pausedStatement = sql("moving_tenants", {}, () => selectPaused);

/** The tenants whose rows cannot be changed now. */
export async function movingTenantIds(): Promise<string[]> {
  const rows = await runSql<{ tenant_id: string }>(pausedStatement({}));
  return rows.map(({ tenant_id }) => tenant_id);
}

const lockMovesStatement = sql(
  "lock_moves",
  { tenantIds: "text[]" },
  (p) => `SELECT m.tenant_id
    FROM tenant_moves m, pg_advisory_xact_lock_shared(hashtext('parlance tenant move'), hashtext(m.tenant_id))
    WHERE m.tenant_id = ANY (${p.tenantIds})`,
);

const refusedStatement = sql(
  "tenants_refusing_writes",
  { tenantIds: "text[]" },
  (p) => `SELECT m.tenant_id FROM tenant_moves m
    WHERE m.tenant_id = ANY (${p.tenantIds}) AND m.state NOT IN ('COPYING', 'DRAINING')
      AND (m.stopped_until IS NULL OR m.stopped_until > clock_timestamp())`,
);

/**
 * Those of the tenants whose writes are refused. This stays true until the transaction ends, because a
 * move takes the same lock before it stops or allows them.
 */
export async function lockRefusingTenants(
  transaction: { db: Db },
  tenantIds: string[],
): Promise<string[]> {
  const moves = await runSql(lockMovesStatement({ tenantIds }), transaction);
  if (moves.length === 0) return [];
  // Its own statement, so that it sees what was changed while the lock was awaited.
  const refusing = await runSql<{ tenant_id: string }>(
    refusedStatement({ tenantIds }),
    transaction,
  );
  return refusing.map(({ tenant_id }) => tenant_id);
}
