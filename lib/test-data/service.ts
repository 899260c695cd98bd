import { recordAudit } from "@/lib/audit/service";
import { abandonBlob } from "@/lib/platform/blobs/service";
import { type Caller, mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { AppError, invalidBody } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { lockTenant } from "@/lib/tenants/service";
import {
  hasRowsLeftSql,
  recountConversationsSql,
  resetCurrentCountersStatements,
  wipeStatements,
} from "./service.sql";

/**
 * Asks for all that the test environment holds at this moment to be deleted: conversations,
 * customers, agents, knowledge, events with their deliveries, request logs, and what was counted of
 * them. Keys, webhooks and the audit log stay, and so does everything live. A job does it in
 * batches; no webhook is told.
 * @param confirmation the organization's slug, typed by the one who asks
 * @throws AppError `validation` for anything else, `conflict` while an earlier wipe is not over
 */
export async function requestWipe(caller: Caller, confirmation: string): Promise<void> {
  requireRole(caller, "ADMIN", "wipe the test data");
  const tenant = await lockTenant(caller);
  if (confirmation !== tenant.slug)
    throw invalidBody("/confirmation", "custom", `must be ${tenant.slug} to confirm`);
  if (await findWipe(caller))
    throw new AppError("conflict", "The test data is being wiped already.");

  const requestedAt = new Date();
  await caller.db.wipeTask.create({
    data: { tenantId: tenant.id, requestedById: caller.actor.id, requestedAt },
  });
  for (const statement of resetCurrentCountersStatements)
    await caller.db.$executeRawUnsafe(statement, tenant.id, requestedAt);
  await recordAudit(inTest(caller), {
    action: "test_data.wipe_requested",
    targetId: tenant.id,
    changes: {},
  });
}

/** The wipe that is under way; null for none. */
export async function findWipe({ db, partition }: Caller) {
  return db.wipeTask.findUnique({ where: { tenantId: partition.tenantId } });
}

const inTest = (caller: Caller): Caller => ({
  ...caller,
  partition: { ...caller.partition, environment: "test" },
});

type Task = { tenantId: string; requestedAt: Date };

/**
 * One batch of the wipe that is least far, as a transaction of its own. A crash costs nothing; the
 * next batch goes on.
 * @param limit rows
 * @returns how many rows went; at least `limit` while one is not at its end
 */
export async function wipeTestData(limit: number): Promise<number> {
  const [next] = await db().$queryRaw<Task[]>`
    SELECT tenant_id AS "tenantId", requested_at AS "requestedAt" FROM wipe_tasks ORDER BY deleted_rows, tenant_id LIMIT 1`;
  if (!next) return 0;
  return mutate(system({ tenantId: next.tenantId, environment: "test" }), (caller) =>
    wipeBatch(caller, limit),
  );
}

async function wipeBatch(caller: Caller, limit: number): Promise<number> {
  const { tenantId } = caller.partition;
  // Another worker may have it in hand, or have ended it.
  const [task] = await caller.db.$queryRaw<Task[]>`
    SELECT tenant_id AS "tenantId", requested_at AS "requestedAt" FROM wipe_tasks WHERE tenant_id = ${tenantId} FOR UPDATE SKIP LOCKED`;
  if (!task) return 0;

  let deleted = 0;
  for (const statement of wipeStatements) {
    const rows = await caller.db.$queryRawUnsafe<{ file: string | null }[]>(
      statement,
      tenantId,
      task.requestedAt,
      limit - deleted,
    );
    for (const { file } of rows) if (file) await abandonBlob(caller, file);
    deleted += rows.length;
    if (deleted >= limit) break;
  }
  const total = await caller.db.wipeTask.update({
    where: { tenantId },
    data: { deletedRows: { increment: deleted } },
  });
  if (deleted > 0) return limit;

  const [rest] = await caller.db.$queryRawUnsafe<{ isLeft: boolean }[]>(
    hasRowsLeftSql,
    tenantId,
    task.requestedAt,
  );
  // Held by somebody else for the moment.
  if (rest?.isLeft) return 0;
  await caller.db.$executeRawUnsafe(recountConversationsSql, tenantId, task.requestedAt);
  await caller.db.wipeTask.delete({ where: { tenantId } });
  await recordAudit(caller, {
    action: "test_data.wiped",
    targetId: tenantId,
    changes: { after: { deletedRows: total.deletedRows } },
  });
  return 0;
}
