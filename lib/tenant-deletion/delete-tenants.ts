import { recordDeletedTenant } from "@/lib/audit/receipts";
import { newestSearchChange } from "@/lib/conversations/search-index";
import { type Caller, system, withDatabase } from "@/lib/platform/caller";
import { db, runSql } from "@/lib/platform/db";
import type { TenantDeletionModel } from "@/prisma/generated/models";
import {
  deleteAuditEntriesStatement,
  deleteTenantStatements,
  forgetDeletedStatement,
  isTenantLeftStatement,
  nextTenantDeletionStatement,
} from "./delete-tenants.sql";

/**
 * How long after the request rows can still be written: by requests that were in progress, and by
 * what is logged and counted after them. Nothing is certified before.
 */
export const settlingMs = 10 * 60_000;
/** How soon a deletion is checked again that waits for files or locked rows. */
const restDelayMs = 5_000;

/** The tenant whose deletion had the last turn. Each worker counts its own turns. */
let lastTenantId = "";

/**
 * Runs one batch of the next deletion, in its own transaction. After a crash, the next batch
 * continues. Once nothing is left but the audit log, a receipt is written, the
 * log is deleted, and last the tenant.
 * @param limit rows
 * @returns `limit` if there may be more
 */
export async function deleteTenants(limit: number): Promise<number> {
  return db().$transaction(async (transaction) => {
    const [next] = await runSql<{ tenantId: string; at: Date }>(
      nextTenantDeletionStatement({ afterTenantId: lastTenantId }),
      { db: transaction },
    );
    if (!next) return 0;
    const { tenantId, at } = next;
    lastTenantId = tenantId;
    // What a tenant has in common has no environment, and the statements ask for none.
    const caller = withDatabase(system({ tenantId, environment: "test" }), transaction);
    const where = { tenantId };
    if (await transaction.deletedTenant.findUnique({ where })) return deleteLog(caller, limit);

    const deleted = await deleteRows(caller, limit);
    const task = await transaction.tenantDeletion.update({
      where,
      data: { deletedRows: { increment: deleted } },
    });
    if (deleted > 0) return limit;
    const nextAt = await checkRest(caller, task, at);
    if (nextAt) {
      await transaction.tenantDeletion.update({ where, data: { nextAt } });
      // Other deletions may have more to delete.
      return limit;
    }
    const { requestedByType, requestedById, requestedAt, deletedRows } = task;
    await recordDeletedTenant(caller, { requestedByType, requestedById, requestedAt, deletedRows });
    return limit;
  });
}

async function deleteRows(caller: Caller, limit: number): Promise<number> {
  const { tenantId } = caller.partition;
  await runSql(forgetDeletedStatement({}), caller);
  let total = 0;
  for (const statement of deleteTenantStatements) {
    const batch = statement({ tenantId, limit: limit - total });
    const [done] = await runSql<{ deleted: number }>(batch, caller);
    total += done?.deleted ?? 0;
    if (total >= limit) break;
  }
  return total;
}

/**
 * @param at the database's time
 * @returns when to check again, or null if nothing is left
 */
async function checkRest(
  caller: Caller,
  { requestedAt, lastSearchChangeId }: TenantDeletionModel,
  at: Date,
) {
  const { tenantId } = caller.partition;
  const settledAt = new Date(requestedAt.getTime() + settlingMs);
  if (at < settledAt) return settledAt;
  // An upload that ended without a document or file would be removed only an hour later.
  await caller.db.strayBlob.updateMany({
    where: { tenantId, removeAfter: { gt: new Date(at.getTime() + settlingMs) } },
    data: { removeAfter: at },
  });
  const searchChangeId = String(lastSearchChangeId ?? (await newestSearchChange(caller)));
  if (lastSearchChangeId === null)
    await caller.db.tenantDeletion.update({
      where: { tenantId },
      data: { lastSearchChangeId: BigInt(searchChangeId) },
    });
  const isLeft = isTenantLeftStatement({ tenantId, searchChangeId });
  const [rest] = await runSql<{ isLeft: boolean }>(isLeft, caller);
  return rest?.isLeft ? new Date(at.getTime() + restDelayMs) : null;
}

async function deleteLog(caller: Caller, limit: number): Promise<number> {
  const { tenantId } = caller.partition;
  const batch = deleteAuditEntriesStatement({ tenantId, limit });
  const [log] = await runSql<{ deleted: number }>(batch, caller);
  if (log?.deleted === limit) return limit;
  await caller.db.tenant.delete({ where: { id: tenantId } });
  return limit;
}
