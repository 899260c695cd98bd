import { recordAudit } from "@/lib/audit/service";
import { abandonBlob } from "@/lib/platform/blobs/service";
import { type Caller, mutate, system } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { AppError, invalidBody } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { lockTenantAsMember } from "@/lib/tenants/service";
import {
  isWipeUnfinishedStatement,
  lockKnowledgeBasesStatement,
  lockMiscountedCustomersStatement,
  lockWipeStatement,
  nextWipeStatement,
  recountConversationsStatement,
  recountDocumentsStatement,
  resetCurrentCountersStatements,
  wipeStatements,
} from "./service.sql";

/**
 * Requests the deletion of everything in the test environment at this moment: conversations,
 * customers, agents, knowledge, events with their deliveries, request logs, and their counts. Keys,
 * webhooks and the audit log stay, and so does everything live. A job deletes in batches and sends
 * no webhooks.
 * @param confirmation the organization's slug, as typed by the user
 * @throws AppError `validation` if the slug does not match, `conflict` while an earlier wipe is in
 * progress
 */
export async function requestWipe(caller: Caller, confirmation: string): Promise<void> {
  requireRole(caller, "ADMIN", "wipe the test data");
  const tenant = await lockTenantAsMember(caller);
  if (confirmation !== tenant.slug)
    throw invalidBody("/confirmation", "custom", `must be ${tenant.slug} to confirm`);
  if (await findWipe(caller))
    throw new AppError("conflict", "The test data is already being wiped.");

  const requestedAt = new Date();
  await caller.db.wipeTask.create({
    data: { tenantId: tenant.id, requestedById: caller.actor.id, requestedAt },
  });
  // The sample data is wiped, too, so it can be added again.
  await caller.db.tenant.update({ where: { id: tenant.id }, data: { sampleIds: [] } });
  for (const statement of resetCurrentCountersStatements)
    await runSql(statement({ tenantId: tenant.id, requestedAt }), caller);
  await recordAudit(inTest(caller), {
    action: "test_data.wipe_requested",
    targetId: tenant.id,
    changes: {},
  });
}

/** The wipe in progress, or null. */
export async function findWipe({ db, partition }: Caller) {
  return db.wipeTask.findUnique({ where: { tenantId: partition.tenantId } });
}

const inTest = (caller: Caller): Caller => ({
  ...caller,
  partition: { ...caller.partition, environment: "test" },
});

/** The tenant whose wipe had the last turn. Each worker counts its own turns. */
let lastTenantId = "";

/**
 * Runs one batch of the next wipe, in its own transaction. After a crash, the next batch continues.
 * @param limit rows
 * @returns how many rows were deleted; at least `limit` while a wipe is unfinished
 */
export async function wipeTestData(limit: number): Promise<number> {
  const [next] = await runSql<{ tenantId: string }>(
    nextWipeStatement({ afterTenantId: lastTenantId }),
  );
  if (!next) return 0;
  lastTenantId = next.tenantId;
  return mutate(system({ tenantId: next.tenantId, environment: "test" }), (caller) =>
    wipeBatch(caller, limit),
  );
}

async function wipeBatch(caller: Caller, limit: number): Promise<number> {
  const { tenantId } = caller.partition;
  const [task] = await runSql<{ requestedAt: Date }>(lockWipeStatement({ tenantId }), caller);
  if (!task) return 0;
  const { requestedAt } = task;

  let deleted = 0;
  for (const statement of wipeStatements) {
    const rows = await runSql<{ file: string | null }>(
      statement({ tenantId, requestedAt, limit: limit - deleted }),
      caller,
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

  const [rest] = await runSql<{ isLeft: boolean }>(
    isWipeUnfinishedStatement({ tenantId, requestedAt }),
    caller,
  );
  // Another transaction has locked it at the moment.
  if (rest?.isLeft) return 0;
  const customers = await runSql<{ id: string }>(
    lockMiscountedCustomersStatement({ tenantId }),
    caller,
  );
  const ids = customers.map(({ id }) => id);
  await runSql(recountConversationsStatement({ tenantId, ids }), caller);
  for (const statement of [lockKnowledgeBasesStatement, recountDocumentsStatement])
    await runSql(statement({ tenantId, requestedAt }), caller);
  await caller.db.wipeTask.delete({ where: { tenantId } });
  await recordAudit(caller, {
    action: "test_data.wiped",
    targetId: tenantId,
    changes: { after: { deletedRows: total.deletedRows } },
  });
  return 0;
}
