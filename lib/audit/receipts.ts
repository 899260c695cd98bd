import type { Caller } from "@/lib/platform/caller";
import { lockName } from "@/lib/resources/lock-row";
import { receiptsLog, scheduleAnchor } from "./anchors";
import { currentKeyId, firstHash, hashEntry } from "./hash-chain";

/** Who requested the deletion of a tenant, and how many rows were deleted. */
export type DeletedTenant = {
  requestedByType: string;
  requestedById: string;
  requestedAt: Date;
  deletedRows: number;
};

/**
 * Writes the receipt of the caller's tenant, in the transaction that found nothing left of it but
 * its audit log. The receipt names the last entry of that log, which can be deleted from then on.
 * Receipts form a chain of their own, so that none can be removed without detection.
 */
export async function recordDeletedTenant(caller: Caller, deleted: DeletedTenant): Promise<void> {
  const { tenantId } = caller.partition;
  // No entry follows the one that the receipt names.
  await lockName(caller, `audit:${tenantId}`);
  await lockName(caller, receiptsLog);
  const previous = await caller.db.deletedTenant.findFirst({ orderBy: { sequence: "desc" } });
  const { sequence: auditEntries, hash: auditHash } = await caller.db.auditEntry.findFirstOrThrow({
    where: { tenantId },
    orderBy: { sequence: "desc" },
    select: { sequence: true, hash: true },
  });
  const receipt = {
    sequence: (previous?.sequence ?? 0) + 1,
    tenantId,
    ...deleted,
    auditEntries,
    createdAt: new Date(),
    keyId: currentKeyId(),
  };
  const previousHash = Buffer.from(previous?.hash ?? firstHash);
  const hash = new Uint8Array(
    hashEntry(previousHash, sealedReceipt({ ...receipt, auditHash })) ?? [],
  );
  await caller.db.deletedTenant.create({
    data: { ...receipt, auditHash, previousHash: new Uint8Array(previousHash), hash },
  });
  scheduleAnchor(receiptsLog, receipt.sequence);
}

/** What a receipt's hash covers. */
export const sealedReceipt = <Receipt extends { auditHash: Uint8Array; keyId: string }>({
  auditHash,
  ...receipt
}: Receipt) => ({ ...receipt, auditHash: Buffer.from(auditHash).toString("hex") });
