import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { inTransaction, nameOf, quote, readRow } from "./sessions";
import { ownedTables } from "./tables";

// Triggers on each table with rows of the tenant decide whether a change is made
// (`guard_moving_tenant` in prisma/beyond-schema.sql). They exist only during a move, and only for
// this tenant, so no other time and no other tenant pays for them.

export type MoveState = "COPYING" | "DRAINING" | "STOPPED" | "INCOMING" | "MOVED" | "OPENED";

/**
 * The writes of all tenants wait behind a statement that waits for a table's lock, so it is given up
 * soon. The pauses grow, so that behind a long transaction they wait for about a tenth of the time.
 */
const lockTimeoutMs = 100;
/** A table has partitions, and each has a lock. */
const allLocksTimeoutMs = 250;
const [firstPauseMs, longestPauseMs] = [50, 1_600];
/** Backups and reports can read a table for as long as this. */
const lockPatienceMs = 180_000;

/** A lock was not available, a deadlock was broken, or all locks together took too long. */
const lockStates = ["55P03", "40P01", "57014"];

/** Creates a table's triggers. Later changes of the tenant's rows run them. */
export async function createGuards(client: pg.Client, tenantId: string): Promise<void> {
  const name = nameOf(tenantId);
  for (const { name: table, column } of ownedTables) {
    const guard = (row: "NEW" | "OLD") =>
      `FOR EACH ROW WHEN (${row}.${column} = ${quote(tenantId)}) EXECUTE FUNCTION guard_moving_tenant(${quote(tenantId)})`;
    await withLock(client, `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`, async () => {
      await client.query(
        `CREATE TRIGGER ${name}_write BEFORE INSERT OR UPDATE ON ${table} ${guard("NEW")}`,
      );
      await client.query(`CREATE TRIGGER ${name}_delete BEFORE DELETE ON ${table} ${guard("OLD")}`);
    });
  }
}

export async function dropGuards(client: pg.Client, tenantId: string): Promise<void> {
  const name = nameOf(tenantId);
  for (const { name: table } of ownedTables) {
    const found = await readRow(
      client,
      "SELECT 1 FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname = $2",
      [table, `${name}_write`],
    );
    if (!found) continue;
    await withLock(client, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, async () => {
      await client.query(`DROP TRIGGER IF EXISTS ${name}_write ON ${table}`);
      await client.query(`DROP TRIGGER IF EXISTS ${name}_delete ON ${table}`);
    });
  }
}

/**
 * Runs the statements in a transaction that has the lock, and repeats it until it gets it.
 * @param lock the statement that takes the lock; null if the others take all they need
 */
export async function withLock(
  client: pg.Client,
  lock: string | null,
  work: () => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + lockPatienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      await inTransaction(client, async () => {
        await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
        if (lock) {
          await client.query(`SET LOCAL statement_timeout = ${allLocksTimeoutMs}`);
          await client.query(lock);
          await client.query("SET LOCAL statement_timeout = 0");
        }
        await work();
      });
      return;
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (!lockStates.includes(code)) throw error;
      if (performance.now() > deadline)
        throw new Error(
          `A transaction of several minutes, for example a backup, holds a lock that the move needs${lock ? ` (${lock})` : ""}. Run the command again when it has ended.`,
        );
      await sleep(pauseMs);
    }
  }
}

/** The lock that every transaction holds, shared, which has changed a row of the tenant. */
const lockWriters = (tenantId: string) =>
  `SELECT pg_advisory_xact_lock(hashtext('parlance tenant move'), hashtext(${quote(tenantId)}))`;

/** Resolves once no transaction is in progress that did not know the new state. */
export async function changeState(
  client: pg.Client,
  tenantId: string,
  state: MoveState,
  { stoppedForMs }: { stoppedForMs?: number } = {},
): Promise<void> {
  await withLock(client, lockWriters(tenantId), () =>
    client.query(
      `UPDATE tenant_moves SET state = $2, stopped_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE tenant_id = $1`,
      [tenantId, state, stoppedForMs ?? null],
    ),
  );
}

/**
 * In the target, after the switch: writes are accepted from now on. The row remains for as long as the
 * source has a copy.
 */
export const openTarget = (target: pg.Client, tenantId: string) =>
  target.query(
    "UPDATE tenant_moves SET state = 'OPENED', stopped_until = now() WHERE tenant_id = $1 AND state IN ('INCOMING', 'OPENED')",
    [tenantId],
  );

/**
 * The point of no return: the source never accepts a write of the tenant again, and forwards its
 * requests. Processes look up the keys again.
 * @throws Error if the stop has expired. Changes may have been made since, and were not copied
 */
export async function switchOver(
  source: pg.Client,
  tenantId: string,
  origin: string,
): Promise<void> {
  await withLock(source, lockWriters(tenantId), async () => {
    const { rowCount } = await source.query(
      `UPDATE tenant_moves SET state = 'MOVED', stopped_until = NULL
       WHERE tenant_id = $1 AND state = 'STOPPED' AND stopped_until > clock_timestamp()`,
      [tenantId],
    );
    if (rowCount !== 1)
      throw new Error(
        "Writes were stopped for longer than --max-stop allows, so they were allowed again. Try again when there is less load, or with a longer --max-stop.",
      );
    await source.query("UPDATE tenants SET moved_to = $2 WHERE id = $1", [tenantId, origin]);
    // The worker takes the oldest first. It could not claim these, so those of others would wait.
    for (const queue of ["mails", "alerts"])
      await source.query(`DELETE FROM ${queue} WHERE tenant_id = $1`, [tenantId]);
    await source.query(
      "SELECT pg_notify('parlance_keys', encode(hash, 'hex')) FROM api_keys WHERE tenant_id = $1",
      [tenantId],
    );
  });
}
