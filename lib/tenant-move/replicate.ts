import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { nameOf, quote, readRow, type Sessions } from "./sessions";
import { columnsLeftOut, replicatedTables } from "./tables";

const pollMs = 20;
/** PostgreSQL lists those of all databases of the cluster. */
const ofThisDatabase = "subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
/** How long PostgreSQL may take to end what it runs for a subscription that is gone. */
const endTimeoutMs = 30_000;

/**
 * Starts to copy the tenant's rows, and then follows their changes. The weeks of both databases
 * need not have the same partitions: tables are published as a whole.
 * @param sourceUrl how the target's PostgreSQL reaches the source's
 */
export async function startReplication(
  { source, target }: Sessions,
  tenantId: string,
  sourceUrl: string,
): Promise<void> {
  const name = nameOf(tenantId);
  const tables: string[] = [];
  for (const table of replicatedTables) {
    const columns = await publishedColumns(source, table);
    tables.push(`${table}${columns} WHERE (tenant_id = ${quote(tenantId)})`);
  }
  await source.query(
    `CREATE PUBLICATION ${name} FOR TABLE ${tables.join(", ")} WITH (publish_via_partition_root = true)`,
  );
  await target.query(
    `CREATE SUBSCRIPTION ${name} CONNECTION ${quote(sourceUrl)} PUBLICATION ${name} WITH (slot_name = ${name}, disable_on_error = true)`,
  );
}

async function publishedColumns(source: pg.Client, table: string): Promise<string> {
  const leftOut = columnsLeftOut[table];
  if (!leftOut) return "";
  const { rows } = await source.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> $2 ORDER BY attnum`,
    [table, leftOut],
  );
  return ` (${rows.map(({ name }) => name).join(", ")})`;
}

/** Resolves once every table was copied and is followed. */
export async function waitForCopy({ target }: Sessions, tenantId: string): Promise<void> {
  for (;;) {
    await requireRunning(target, tenantId);
    const row = await readRow<{ left: number }>(
      target,
      `SELECT count(*) FILTER (WHERE r.srsubstate <> 'r')::int AS left
       FROM pg_subscription s JOIN pg_subscription_rel r ON r.srsubid = s.oid WHERE s.subname = $1 AND s.${ofThisDatabase}`,
      [nameOf(tenantId)],
    );
    if (row?.left === 0) return;
    await sleep(pollMs);
  }
}

/** Resolves once everything that is committed in the source now is stored in the target. */
export async function waitForChanges(
  { source, target }: Sessions,
  tenantId: string,
): Promise<void> {
  const at = await readRow<{ lsn: string }>(source, "SELECT pg_current_wal_insert_lsn() AS lsn");
  for (;;) {
    const row = await readRow<{ isConfirmed: boolean }>(
      source,
      `SELECT confirmed_flush_lsn >= $2::pg_lsn AS "isConfirmed" FROM pg_replication_slots WHERE slot_name = $1`,
      [nameOf(tenantId), at?.lsn],
    );
    if (row?.isConfirmed) return;
    await requireRunning(target, tenantId);
    await sleep(pollMs);
  }
}

async function requireRunning(target: pg.Client, tenantId: string): Promise<void> {
  const row = await readRow<{ isEnabled: boolean }>(
    target,
    `SELECT subenabled AS "isEnabled" FROM pg_subscription WHERE subname = $1 AND ${ofThisDatabase}`,
    [nameOf(tenantId)],
  );
  if (!row?.isEnabled)
    throw new Error("PostgreSQL stopped the replication. The log of the target's server says why.");
}

/** Ends the replication, with everything that PostgreSQL stores for it. */
export async function endReplication(
  { source, target }: Sessions,
  tenantId: string,
): Promise<void> {
  const name = nameOf(tenantId);
  const subscription = `SELECT 1 FROM pg_subscription WHERE subname = $1 AND ${ofThisDatabase}`;
  if (await readRow(target, subscription, [name])) {
    await target.query(`ALTER SUBSCRIPTION ${name} DISABLE`);
    // A subscription whose slot is gone cannot be dropped with it.
    if (!(await readRow(source, "SELECT 1 FROM pg_replication_slots WHERE slot_name = $1", [name])))
      await target.query(`ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`);
    await target.query(`DROP SUBSCRIPTION ${name}`);
  }
  await endInSource(source, tenantId);
}

/**
 * Without the target, which may be gone for good: a slot that nobody reads fills the source's disk.
 * @param isForced ends a connection of the target, too
 */
export async function endInSource(
  source: pg.Client,
  tenantId: string,
  { isForced = false } = {},
): Promise<void> {
  const name = nameOf(tenantId);
  const deadline = performance.now() + endTimeoutMs;
  for (;;) {
    const slot = await readRow<{ pid: number | null }>(
      source,
      "SELECT active_pid AS pid FROM pg_replication_slots WHERE slot_name = $1",
      [name],
    );
    if (!slot) break;
    if (slot.pid !== null && isForced)
      await source.query("SELECT pg_terminate_backend($1)", [slot.pid]);
    if (slot.pid === null || isForced)
      await source.query("SELECT pg_drop_replication_slot($1)", [name]).catch(() => {});
    if (performance.now() > deadline)
      throw new Error(`The replication slot ${name} of the source is still in use. Try again.`);
    await sleep(pollMs);
  }
  await source.query(`DROP PUBLICATION IF EXISTS ${name}`);
}

/**
 * While PostgreSQL copies a table, it has one more slot. Only the target knows whose it is, so it
 * cannot be dropped without it.
 */
export async function slotsOfCopies(source: pg.Client): Promise<string[]> {
  const { rows } = await source.query<{ name: string }>(
    `SELECT slot_name AS name FROM pg_replication_slots WHERE NOT active AND slot_name ~ '^pg_[0-9]+_sync_[0-9]+_[0-9]+$' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}
