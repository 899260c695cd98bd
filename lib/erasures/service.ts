import { type AuditReceipt, recordAudit } from "@/lib/audit/service";
import { lockCustomerForDeletion } from "@/lib/customers/service";
import type { Caller } from "@/lib/platform/caller";
import { requireRole } from "@/lib/platform/roles";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import type { ErasurePhase } from "@/prisma/generated/enums";
import type { ErasureModel } from "@/prisma/generated/models";
import type { Identifiers } from "./identifiers";
import type { Erasure, ErasureCounts } from "./schema";

/**
 * Requests that everything personal about a customer is removed. The customer's own fields are
 * cleared in this transaction, so that nothing new can copy them. A job does the rest
 * (./work-off-erasures.ts).
 * @returns the erasure; an earlier one while it is in progress. After that, a new one removes what
 * was written since.
 */
export async function eraseCustomer(caller: Caller, customerId: string): Promise<Erasure> {
  requireRole(caller, "ADMIN", "erase customers");
  await requireStepUp(caller, "eraseCustomer");
  const { externalId, name, email, phone } = await lockCustomerForDeletion(caller, customerId);
  const earlier = await findErasureOf(caller, customerId);
  if (earlier?.status === "PENDING" && (await includeThisRequest(caller, earlier))) return earlier;

  const { db, partition, actor } = caller;
  const at = now();
  await db.customer.update({
    where: { tenantId_environment_id: { ...partition, id: customerId } },
    data: { ...nothing, erasedAt: at, updatedAt: at },
  });
  const identifiers: Identifiers[] = [{ externalId, name, email, phone }];
  const row = await db.erasure.create({
    data: {
      ...partition,
      id: newId("erasure"),
      customerId,
      identifiers,
      counts: noCounts,
      nextAt: immediately,
      requestedByType: actor.type,
      requestedById: actor.id,
      createdAt: at,
    },
  });
  await recordAudit(caller, {
    action: "customer.erasure_requested",
    targetId: customerId,
    changes: { after: { erasureId: row.id } },
  });
  return toErasure(row);
}

/**
 * The key of a repeated request can contain what the customer wrote, and its record and log are
 * written after those of the first request were removed. They are then searched once more.
 * @returns false if the erasure was just completed
 */
async function includeThisRequest(caller: Caller, { id }: Erasure): Promise<boolean> {
  // No batch runs until this request is stored.
  const locked = await lockRow<{ phase: ErasurePhase }>(caller, "erasures", id, "phase");
  if (!locked || locked.phase === "COMPLETED") return false;
  if (locked.phase !== "CONVERSATIONS" && locked.phase !== "EVENTS")
    await caller.db.erasure.update({
      where: { tenantId_environment_id: { ...caller.partition, id } },
      data: { phase: "IDEMPOTENCY_RECORDS", afterId: "", nextAt: immediately },
    });
  return true;
}

export async function getErasure({ db, partition }: Caller, id: string): Promise<Erasure> {
  const where = { tenantId_environment_id: { ...partition, id } };
  const found = await db.erasure.findUnique({ where });
  if (!found) throw notFound("erasure", id);
  return toErasure(found);
}

/** The latest erasure of a customer, or null if none was requested. */
export async function findErasureOf(
  { db, partition }: Caller,
  customerId: string,
): Promise<Erasure | null> {
  const found = await db.erasure.findFirst({
    where: { ...partition, customerId },
    orderBy: { id: "desc" },
  });
  return found && toErasure(found);
}

/** Whatever the clocks of this process and of the database say. */
const immediately = new Date(0);

/** A customer's fields without anything personal. */
const nothing = {
  externalId: null,
  name: null,
  email: null,
  phone: null,
  locale: null,
  metadata: {},
  searchWords: [],
};

const noCounts: ErasureCounts = {
  conversations: 0,
  messages: 0,
  files: 0,
  events: 0,
  deliveries: 0,
  requestLogs: 0,
  idempotencyRecords: 0,
};

function toErasure(row: ErasureModel): Erasure {
  const receipt = row.receipt as AuditReceipt | null;
  return {
    id: row.id,
    customerId: row.customerId,
    status: row.completedAt ? "COMPLETED" : "PENDING",
    removed: { ...noCounts, ...(row.counts as Partial<ErasureCounts>) },
    receipt: receipt && {
      auditSequence: receipt.sequence,
      signature: receipt.hash,
      keyId: receipt.keyId,
      signedAt: receipt.createdAt,
    },
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}
