import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { inTransaction, nameOf, quote, readRow } from "./sessions";
import { ownedTables } from "./tables";

// Triggers on each table with rows of the tenant decide whether a change is made
// (`guard_moving_tenant` in prisma/beyond-schema.sql). They exist only during a move, and only for
// this tenant, so no other time and no other tenant pays for them.

export type MoveState = "COPYING" | "DRAINING" | "STOPPED" | "INCOMING" | "MOVED";

/** Waiting for a table's lock makes its writers wait, too, so it is given up soon and tried again. */
const lockTimeoutMs = 200;
const lockAttempts = 300;
const lockPauseMs = 50;

/** The lock was not available, or a deadlock was broken. */
const lockStates = ["55P03", "40P01"];

/** Creates a table's triggers. Later changes of the tenant's rows run them. */
export async function createGuards(client: pg.Client, tenantId: string): Promise<void> {
  const name = nameOf(tenantId);
  for (const { name: table, column } of ownedTables) {
    const guard = (row: "NEW" | "OLD") =>
      `FOR EACH ROW WHEN (${row}.${column} = ${quote(tenantId)}) EXECUTE FUNCTION guard_moving_tenant(${quote(tenantId)})`;
    await withTableLock(client, async () => {
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
    await withTableLock(client, async () => {
      await client.query(`DROP TRIGGER IF EXISTS ${name}_write ON ${table}`);
      await client.query(`DROP TRIGGER IF EXISTS ${name}_delete ON ${table}`);
    });
  }
}

/** Repeats the transaction until it gets the locks of the tables. */
export async function withTableLock(
  client: pg.Client,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await inTransaction(client, async () => {
        await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
        await work();
      });
      return;
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (!lockStates.includes(code) || attempt === lockAttempts) throw error;
      await sleep(lockPauseMs);
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
  await inTransaction(client, async () => {
    await client.query(lockWriters(tenantId));
    await client.query(
      `UPDATE tenant_moves SET state = $2, stopped_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE tenant_id = $1`,
      [tenantId, state, stoppedForMs ?? null],
    );
  });
}

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
  await inTransaction(source, async () => {
    await source.query(lockWriters(tenantId));
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
