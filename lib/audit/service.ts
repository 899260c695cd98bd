import { createHash } from "node:crypto";
import type { Caller } from "@/lib/caller";
import type { Prisma } from "@/lib/db";

/** What can be done to what; the audit log says nothing that is not in this list. */
export const auditActions = [
  "organisation.created",
  "organisation.renamed",
  "invitation.created",
  "invitation.resent",
  "invitation.revoked",
  "invitation.accepted",
  "member.role_changed",
  "member.removed",
  "member.left",
  "user.password_changed",
  "user.password_reset",
  "test_data.wipe_requested",
  "test_data.wiped",
  "api_key.created",
  "api_key.updated",
  "api_key.rolled",
  "api_key.revoked",
  "agent.created",
  "agent.updated",
  "agent.published",
  "agent.rolled_back",
  "agent.archived",
  "knowledge_base.created",
  "document.created",
  "document.retried",
  "document.deleted",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.disabled",
  "webhook.secret_rotated",
  "webhook.old_secret_dropped",
  "webhook.test_sent",
  "webhook.delivery_resent",
  "webhook.deliveries_recovered",
  "webhook.deliveries_resumed",
  "webhook.deliveries_discarded",
] as const;

export type AuditAction = (typeof auditActions)[number];

export type AuditRecord = { action: AuditAction; targetId: string; changes: Prisma.InputJsonObject };

/** What is done to the organisation and its people is done in no environment, whichever one the page was of. */
const isOfTenant = (action: AuditAction) => /^(organisation|invitation|member|user)\./.test(action);

const firstHash = Buffer.alloc(32);

/**
 * Appends to the tenant's audit log, in the transaction of the change. `changes` holds before and after without secrets.
 * Each entry's hash covers its content and its predecessor's hash, so a later alteration shows; for that the tenant's
 * entries are written one after another, under a lock that the transaction's end releases.
 */
export async function recordAudit(caller: Caller, record: AuditRecord): Promise<void> {
  const { tenantId, environment } = caller.partition;
  await caller.db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`audit:${tenantId}`}, 0))`;
  const last = await caller.db.auditEntry.findFirst({ where: { tenantId }, orderBy: { sequence: "desc" } });

  const entry = {
    tenantId,
    sequence: (last?.sequence ?? 0) + 1,
    actorType: caller.actor.type,
    actorId: caller.actor.id,
    action: record.action,
    targetId: record.targetId,
    environment: isOfTenant(record.action) ? null : environment,
    changes: record.changes,
    address: caller.address,
    requestId: caller.request?.id ?? null,
    createdAt: new Date(),
  };
  const previousHash = Buffer.from(last?.hash ?? firstHash);
  const hash = createHash("sha256").update(previousHash).update(canonicalJson(entry)).digest();
  await caller.db.auditEntry.create({ data: { ...entry, previousHash, hash } });
}

/** JSON with sorted keys: the same text for what went into the database and what comes back from it. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
