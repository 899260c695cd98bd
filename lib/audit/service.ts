import { createHash } from "node:crypto";
import { requireRole } from "@/lib/auth/roles";
import type { Caller } from "@/lib/caller";
import type { Db, Prisma } from "@/lib/db";
import { Environment } from "@/prisma/generated/enums";
import type { AuditEntryModel } from "@/prisma/generated/models";
import type { ListAudit } from "./schema";

/** What can be done to what, and what people read of it; the audit log says nothing that is not in this list. */
export const auditActionNames = {
  "organisation.created": "Organisation created",
  "organisation.renamed": "Organisation renamed",
  "invitation.created": "Invitation made",
  "invitation.resent": "Invitation made again",
  "invitation.revoked": "Invitation revoked",
  "invitation.accepted": "Invitation accepted",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.left": "Member left",
  "user.signed_in": "Signed in",
  "user.sign_in_failed": "Sign-in failed",
  "user.proof_refused": "Confirmation failed",
  "user.throttled": "Attempts refused for a while",
  "user.signed_out": "Signed out everywhere",
  "user.session_revoked": "Session ended",
  "user.account_linked": "GitHub or Google account linked",
  "user.password_changed": "Password changed",
  "user.password_reset": "Password reset by a link",
  "test_data.wipe_requested": "Wipe of test data asked for",
  "test_data.wiped": "Test data wiped",
  "api_key.created": "API key created",
  "api_key.updated": "API key changed",
  "api_key.rolled": "API key rolled",
  "api_key.revoked": "API key revoked",
  "agent.created": "Agent created",
  "agent.updated": "Agent updated",
  "agent.published": "Agent published",
  "agent.rolled_back": "Agent rolled back",
  "agent.archived": "Agent archived",
  "knowledge_base.created": "Knowledge base created",
  "document.created": "Document created",
  "document.retried": "Document retried",
  "document.deleted": "Document deleted",
  "webhook.created": "Webhook created",
  "webhook.updated": "Webhook updated",
  "webhook.address_refused": "Webhook address refused",
  "webhook.deleted": "Webhook deleted",
  "webhook.disabled": "Webhook disabled by the service",
  "webhook.secret_rotated": "Signing secret rotated",
  "webhook.old_secret_dropped": "Old signing secret dropped",
  "webhook.test_sent": "Test event sent",
  "webhook.delivery_resent": "Delivery sent again",
  "webhook.deliveries_recovered": "Deliveries recovered",
  "webhook.deliveries_resumed": "Held deliveries resumed",
  "webhook.deliveries_discarded": "Held deliveries discarded",
} as const;

export type AuditAction = keyof typeof auditActionNames;

export const auditActions = Object.keys(auditActionNames) as [AuditAction, ...AuditAction[]];

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
  const hash = new Uint8Array(hashOf(previousHash, entry));
  await caller.db.auditEntry.create({ data: { ...entry, previousHash: new Uint8Array(previousHash), hash } });
}

const pageSize = 25;

/** The newest first. The cursor is the sequence of the last entry of the page before. */
export async function listAuditEntries(caller: Caller, { cursor, ...filters }: ListAudit) {
  requireRole(caller, "ADMIN", "read the audit log");
  const entries = await readEntries(caller, filters, cursor, pageSize + 1);
  const last = entries.length > pageSize ? entries[pageSize - 1] : undefined;
  return { data: entries.slice(0, pageSize).map(withoutHashes), ...(last && { nextCursor: String(last.sequence) }) };
}

/** What agents, webhooks, knowledge bases and documents of both environments are called, by their ids; unknown ids are left out. */
export async function auditTargetNames({ db, partition }: Caller, ids: string[]): Promise<Map<string, string>> {
  const where = { tenantId: partition.tenantId, environment: { in: Object.values(Environment) }, id: { in: ids } };
  const named = { where, select: { id: true, name: true } };
  const [agents, bases, documents, webhooks] = await Promise.all([
    db.agent.findMany(named),
    db.knowledgeBase.findMany(named),
    db.document.findMany(named),
    db.webhook.findMany({ where, select: { id: true, url: true } }),
  ]);
  const all = [...agents, ...bases, ...documents, ...webhooks.map(({ id, url }) => ({ id, name: url }))];
  return new Map(all.map(({ id, name }) => [id, name]));
}

const exportBatch = 500;

/** The same in batches, until all of it was given. */
export async function* exportAuditEntries(caller: Caller, { cursor: start, ...filters }: ListAudit) {
  requireRole(caller, "ADMIN", "read the audit log");
  for (let cursor = start; ; ) {
    const entries = await readEntries(caller, filters, cursor, exportBatch);
    yield entries.map(withoutHashes);
    if (entries.length < exportBatch) return;
    cursor = entries.at(-1)?.sequence;
  }
}

function readEntries({ db, partition }: Caller, filters: Omit<ListAudit, "cursor">, cursor: number | undefined, take: number) {
  const { actor, action, from, to } = filters;
  return db.auditEntry.findMany({
    where: {
      tenantId: partition.tenantId,
      ...(cursor && { sequence: { lt: cursor } }),
      ...(actor && { actorId: actor }),
      ...(action && { action }),
      ...((from || to) && { createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
    },
    orderBy: { sequence: "desc" },
    take,
  });
}

const withoutHashes = ({ tenantId: _tenantId, hash: _hash, previousHash: _previousHash, ...entry }: AuditEntryModel) => entry;

export type AuditEntry = ReturnType<typeof withoutHashes>;

export type ChainFinding = { entries: number; broken: { sequence: number; reason: string } | null };

const verifyBatch = 1_000;

/**
 * Reads the tenant's whole log and computes every hash anew. An entry that was altered, taken out or slipped in shows, and
 * the first of them is named; what was cut off at the end does not show by itself, which is why the number of entries is told.
 */
export async function verifyAuditChain(caller: Caller): Promise<ChainFinding> {
  requireRole(caller, "ADMIN", "check the audit log");
  return verifyChainOf(caller.db, caller.partition.tenantId);
}

/** For operators, who name a tenant without acting in it. */
export async function verifyChainOf(db: Db, tenantId: string): Promise<ChainFinding> {
  let previousHash = firstHash;
  let sequence = 0;
  for (;;) {
    const entries = await db.auditEntry.findMany({
      where: { tenantId, sequence: { gt: sequence } },
      orderBy: { sequence: "asc" },
      take: verifyBatch,
    });
    for (const { hash, previousHash: stated, ...entry } of entries) {
      const broken = (reason: string) => ({ entries: sequence, broken: { sequence: sequence + 1, reason } });
      if (entry.sequence !== sequence + 1) return broken("it is missing");
      if (!previousHash.equals(stated)) return broken("it does not follow from the entry before it");
      if (!hashOf(previousHash, entry).equals(hash)) return broken("it was altered");
      previousHash = Buffer.from(hash);
      sequence = entry.sequence;
    }
    if (entries.length < verifyBatch) return { entries: sequence, broken: null };
  }
}

const hashOf = (previousHash: Buffer, entry: object) => createHash("sha256").update(previousHash).update(canonicalJson(entry)).digest();

/** What was done to one thing, the latest first; for owners and admins. At most 50 entries. */
export async function listAuditTrail(caller: Caller, targetId: string) {
  requireRole(caller, "ADMIN", "read the audit log");
  const { tenantId, environment } = caller.partition;
  return caller.db.auditEntry.findMany({
    where: { tenantId, targetId, environment },
    orderBy: { sequence: "desc" },
    take: 50,
    select: { sequence: true, action: true, actorType: true, actorId: true, changes: true, address: true, createdAt: true },
  });
}

/** JSON with sorted keys: the same text for what went into the database and what comes back from it. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
