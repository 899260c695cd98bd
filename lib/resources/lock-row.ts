import type { Caller } from "@/lib/platform/caller";
import { type Db, runSql } from "@/lib/platform/db";
import { bindings, sql } from "@/lib/platform/sql";
import type { ListedTable } from "./registry";

type LockedTable = ListedTable | "api_keys" | "erasures";

/**
 * Locks one row of the caller's partition until the transaction ends, so that its changes happen
 * one after another and each sees the one before it. New references to the row do not wait. If the
 * row does not exist, nothing is locked. Callers that need the row notice that when they read it
 * afterwards.
 * @param columns what to select of the row, as SQL
 * @param strength `KEY SHARE` is for a transaction that copies from the row. Only deletions, erasures
 * and changes of unique columns wait for it.
 */
export async function lockRow<Row extends object>(
  caller: Caller,
  table: LockedTable,
  id: string,
  columns = "1",
  strength: "NO KEY UPDATE" | "KEY SHARE" = "NO KEY UPDATE",
): Promise<Row | undefined> {
  const { bind, values } = bindings();
  const { tenantId, environment } = caller.partition;
  const text = `SELECT ${columns} FROM ${table}
    WHERE tenant_id = ${bind("text", tenantId)} AND environment = ${bind("Environment", environment)} AND id = ${bind("text", id)}
    FOR ${strength}`;
  const [row] = await runSql<Row>({ text, values }, caller);
  return row;
}

type Account = { tenantId: string } | { userId: string } | { email: string };

/**
 * The same for a tenant, or for a user by id or address.
 * @returns false if it does not exist
 */
export async function lockAccount(transaction: { db: Db }, account: Account): Promise<boolean> {
  const { bind, values } = bindings();
  const text =
    "tenantId" in account
      ? `SELECT 1 FROM tenants WHERE id = ${bind("text", account.tenantId)} FOR NO KEY UPDATE`
      : "userId" in account
        ? `SELECT 1 FROM users WHERE id = ${bind("text", account.userId)} FOR NO KEY UPDATE`
        : `SELECT 1 FROM users WHERE email = ${bind("text", account.email)} FOR NO KEY UPDATE`;
  return (await runSql({ text, values }, transaction)).length > 0;
}

const lockNameStatement = sql(
  "lock_name",
  { name: "text" },
  (p) => `SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${p.name}, 0))`,
);

/**
 * Locks a name until the transaction ends, for changes that no single row represents: of two
 * concurrent creations, the second one counts the row of the first.
 */
export async function lockName(transaction: { db: Db }, name: string): Promise<void> {
  await runSql(lockNameStatement({ name }), transaction);
}

/** Locks one kind of row in the caller's environment. */
export const lockKind = (caller: Caller, kind: "api_keys" | "stored_bytes" | "webhooks") =>
  lockName(caller, `${kind}:${caller.partition.tenantId}:${caller.partition.environment}`);
