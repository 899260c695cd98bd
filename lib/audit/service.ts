import type { Caller } from "@/lib/platform/caller";
import { type Db, type Prisma, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { requireRole } from "@/lib/platform/roles";
import { sql } from "@/lib/platform/sql";
import { kindOfId } from "@/lib/resources/ids";
import { lockName } from "@/lib/resources/lock-row";
import { type NounsWith, type nouns, partsOf } from "@/lib/resources/registry";
import { Environment } from "@/prisma/generated/enums";
import type { AuditEntryModel } from "@/prisma/generated/models";
import { readAnchors, scheduleAnchor, toHex } from "./anchors";
import { currentKeyId, firstHash, hashEntry, keyIdOf } from "./hash-chain";
import type { ListAudit } from "./schema";

/** Actions on the organization and its members. The registry has those on other nouns. */
const organizationActions = {
  "organization.created": "Organization created",
  "organization.renamed": "Organization renamed",
  "invitation.created": "Invitation made",
  "invitation.resent": "Invitation made again",
  "invitation.revoked": "Invitation revoked",
  "invitation.accepted": "Invitation accepted",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.sessions_ended": "Member signed out everywhere",
  "member.left": "Member left",
  "access.suspended": "Access suspended until it is confirmed",
  "access.confirmed": "Suspended access confirmed",
  "user.signed_in": "Signed in",
  "user.sign_in_failed": "Sign-in failed",
  "user.confirmation_required": "Refused until confirmed",
  "user.proof_refused": "Confirmation failed",
  "user.throttled": "Attempts refused for a while",
  "user.signed_out": "Signed out everywhere",
  "user.session_revoked": "Session ended",
  "user.email_verified": "Email address verified",
  "user.account_linked": "GitHub or Google account linked",
  "user.password_changed": "Password changed",
  "user.password_reset": "Password reset by a link",
  "test_data.wipe_requested": "Wipe of test data asked for",
  "test_data.wiped": "Test data wiped",
} as const;

type Audited = NounsWith<"auditActions">;
type NounActions = { [Noun in Audited]: (typeof nouns)[Noun]["auditActions"] }[Audited];

export type AuditAction =
  | keyof typeof organizationActions
  | (NounActions extends infer Actions ? (Actions extends Actions ? keyof Actions : never) : never);

/** Every action that the audit log can hold, and the name that the dashboard shows for it. */
export const auditActionNames = Object.assign(
  {},
  organizationActions,
  ...partsOf("auditActions"),
) as Record<AuditAction, string>;

export const auditActions = Object.keys(auditActionNames) as [AuditAction, ...AuditAction[]];

export type AuditRecord = {
  action: AuditAction;
  targetId: string;
  changes: Prisma.InputJsonObject;
};

/**
 * What is done to the organization and its people is done in no environment, whichever one the page
 * was of.
 */
const isOfTenant = (action: AuditAction) =>
  /^(organization|invitation|member|access|user)\./.test(action);

/**
 * Appends to the tenant's audit log, in the transaction of the change. `changes` holds before and
 * after without secrets. Each entry's hash covers its content and its predecessor's hash, so a
 * later alteration shows. The tenant's entries are therefore written one after another, under a
 * lock that the transaction's end releases.
 */
export async function recordAudit(caller: Caller, record: AuditRecord): Promise<void> {
  const { tenantId, environment } = caller.partition;
  await lockName(caller, `audit:${tenantId}`);
  const last = await caller.db.auditEntry.findFirst({
    where: { tenantId },
    orderBy: { sequence: "desc" },
  });

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
    keyId: currentKeyId(),
  };
  const previousHash = Buffer.from(last?.hash ?? firstHash);
  const hash = new Uint8Array(hashEntry(previousHash, entry) ?? []);
  await caller.db.auditEntry.create({
    data: { ...entry, previousHash: new Uint8Array(previousHash), hash },
  });
  scheduleAnchor(tenantId, entry.sequence);
}

const pageSize = 25;

/** The newest first. The cursor is the sequence of the last entry of the page before. */
export async function listAuditEntries(caller: Caller, { cursor, ...filters }: ListAudit) {
  requireRole(caller, "ADMIN", "read the audit log");
  const entries = await readEntries(caller, filters, cursor, pageSize + 1);
  const last = entries.length > pageSize ? entries[pageSize - 1] : undefined;
  return {
    data: entries.slice(0, pageSize).map(withoutHashes),
    ...(last && { nextCursor: String(last.sequence) }),
  };
}

type FindNames = (db: Db, where: TargetFilter) => Promise<{ id: string; name: string }[]>;
type TargetFilter = { tenantId: string; environment: { in: Environment[] }; id: { in: string[] } };

const select = { id: true, name: true } as const;

/** API keys are left out: the page reads their names anyway, because they are actors too. */
const findTargetNames: Record<Exclude<Audited, "apiKey">, FindNames> = {
  agent: (db, where) => db.agent.findMany({ where, select }),
  knowledgeBase: (db, where) => db.knowledgeBase.findMany({ where, select }),
  document: (db, where) => db.document.findMany({ where, select }),
  webhook: async (db, where) => {
    const found = await db.webhook.findMany({ where, select: { id: true, url: true } });
    return found.map(({ id, url }) => ({ id, name: url }));
  },
};

/** The names of the targets in both environments, by id. Unknown ids are left out. */
export async function auditTargetNames(
  { db, partition: { tenantId } }: Caller,
  ids: string[],
): Promise<Map<string, string>> {
  const environment = { in: Object.values(Environment) };
  const found = await Promise.all(
    Object.entries(findTargetNames).map(([kind, findNames]) => {
      const ofKind = ids.filter((id) => kindOfId(id) === kind);
      return ofKind.length > 0 ? findNames(db, { tenantId, environment, id: { in: ofKind } }) : [];
    }),
  );
  return new Map(found.flat().map(({ id, name }) => [id, name]));
}

const exportBatch = 500;

/** The same in batches, until all of it was given. */
export async function* exportAuditEntries(
  caller: Caller,
  { cursor: start, ...filters }: ListAudit,
) {
  requireRole(caller, "ADMIN", "read the audit log");
  for (let cursor = start; ; ) {
    const entries = await readEntries(caller, filters, cursor, exportBatch);
    yield entries.map(withoutHashes);
    if (entries.length < exportBatch) return;
    cursor = entries.at(-1)?.sequence;
  }
}

function readEntries(
  { db, partition }: Caller,
  filters: Omit<ListAudit, "cursor">,
  cursor: number | undefined,
  take: number,
) {
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

const withoutHashes = ({
  tenantId: _tenantId,
  hash: _hash,
  previousHash: _previousHash,
  keyId: _keyId,
  ...entry
}: AuditEntryModel) => entry;

export type AuditEntry = ReturnType<typeof withoutHashes>;

/** `anchored`: up to which entry the log is known outside of the database. */
export type ChainFinding = {
  entries: number;
  anchored: number;
  broken: { sequence: number; reason: string } | null;
};

const verifyBatch = 1_000;

/**
 * Reads the tenant's whole log and computes every hash again. An entry that was altered, taken out
 * or slipped in shows, and the first of them is named. So does an end that was cut off, as far as
 * it was anchored outside of the database.
 */
export async function verifyAuditChain(caller: Caller): Promise<ChainFinding> {
  requireRole(caller, "ADMIN", "check the audit log");
  return verifyChainOf(caller.db, caller.partition.tenantId);
}

/**
 * For operators, who name a tenant without acting in it.
 * @param anchorFile where the heads of logs were noted, if not in this machine's own file
 */
export async function verifyChainOf(
  db: Db,
  tenantId: string,
  anchorFile?: string,
): Promise<ChainFinding> {
  const anchors = await readAnchors(tenantId, anchorFile);
  const anchored = Math.max(0, ...anchors.keys());
  let previousHash = firstHash;
  let sequence = 0;
  const broken = (reason: string) => ({
    entries: sequence,
    anchored,
    broken: { sequence: sequence + 1, reason },
  });
  for (;;) {
    const entries = await db.auditEntry.findMany({
      where: { tenantId, sequence: { gt: sequence } },
      orderBy: { sequence: "asc" },
      take: verifyBatch,
    });
    for (const { hash, previousHash: stated, ...entry } of entries) {
      const anchor = anchors.get(entry.sequence);
      if (entry.sequence !== sequence + 1) return broken("it is missing");
      if (!previousHash.equals(stated))
        return broken("it does not follow from the entry before it");
      const expected = hashEntry(previousHash, entry);
      if (!expected)
        return broken(`it was sealed with the key ${entry.keyId}, which is not in AUDIT_KEYS`);
      if (!expected.equals(hash)) return broken("it was altered");
      if (anchor && anchor.hash !== toHex(hash))
        return broken(`it is not the entry that was anchored at ${anchor.at}`);
      previousHash = Buffer.from(hash);
      sequence = entry.sequence;
    }
    if (entries.length === verifyBatch) continue;
    if (anchored > sequence)
      return broken(
        `it was cut off: ${anchored} entries were anchored at ${anchors.get(anchored)?.at}`,
      );
    return { entries: sequence, anchored, broken: null };
  }
}

const sampledTenants = 1_000;

const headsStatement = sql(
  "audit_heads",
  {},
  () => `
    SELECT DISTINCT (SELECT key_id FROM audit_entries WHERE tenant_id = newest.id ORDER BY sequence DESC LIMIT 1) AS "keyId"
    FROM (SELECT id FROM tenants ORDER BY id DESC LIMIT ${sampledTenants}) newest`,
);

/**
 * Ids of keys that the newest tenants' latest entries are sealed with, and that are not among
 * AUDIT_KEYS.
 */
export async function foreignAuditKeys(): Promise<string[]> {
  const heads = await runSql<{ keyId: string | null }>(headsStatement({}));
  const known = new Set(env().AUDIT_KEYS.map(keyIdOf));
  return heads.flatMap(({ keyId }) => (keyId && !known.has(keyId) ? [keyId] : []));
}

/** What was done to one thing, the latest first; for owners and admins. At most 50 entries. */
export async function listAuditTrail(caller: Caller, targetId: string) {
  requireRole(caller, "ADMIN", "read the audit log");
  const { tenantId, environment } = caller.partition;
  return caller.db.auditEntry.findMany({
    where: { tenantId, targetId, environment },
    orderBy: { sequence: "desc" },
    take: 50,
    select: {
      sequence: true,
      action: true,
      actorType: true,
      actorId: true,
      changes: true,
      address: true,
      createdAt: true,
    },
  });
}
