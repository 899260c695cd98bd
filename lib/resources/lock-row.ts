import type { Caller } from "@/lib/platform/caller";
import type { ListedTable } from "./registry";

type LockedTable = ListedTable | "api_keys";

/**
 * Locks one row of the caller's partition until the transaction ends, so that changes of it come
 * one after another and each sees what the one before it left. New references to the row are not
 * held up. A row that is missing locks nothing: whoever needs it reads it afterwards, and finds
 * out.
 */
export async function lockRow(
  { db, partition }: Caller,
  table: LockedTable,
  id: string,
): Promise<void> {
  const sql = `SELECT 1 FROM ${table} WHERE tenant_id = $1 AND environment = $2::"Environment" AND id = $3 FOR NO KEY UPDATE`;
  await db.$queryRawUnsafe(sql, partition.tenantId, partition.environment, id);
}

/**
 * Locks one kind of row in the caller's environment until the transaction ends, so that of two
 * concurrent creations the second counts what the first one made.
 */
export async function lockKind(
  { db, partition }: Caller,
  kind: "api_keys" | "documents" | "webhooks",
): Promise<void> {
  const name = `${kind}:${partition.tenantId}:${partition.environment}`;
  await db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
