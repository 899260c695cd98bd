import type { Caller } from "@/lib/platform/caller";
import type { Db, Prisma } from "@/lib/platform/db";
import { requireRole } from "@/lib/platform/roles";
import { kindOfId } from "@/lib/resources/ids";
import { lockName } from "@/lib/resources/lock-row";
import { Environment } from "@/prisma/generated/enums";
import type { AuditEntryModel } from "@/prisma/generated/models";
import type { AuditAction, Audited } from "./actions";
import { scheduleAnchor, toHex } from "./anchors";
import { currentKeyId, firstHash, hashEntry } from "./hash-chain";
import type { ListAudit } from "./schema";

export type AuditRecord = {
  action: AuditAction;
  targetId: string;
  changes: Prisma.InputJsonObject;
};

export type AuditReceipt = { sequence: number; keyId: string; hash: string; createdAt: string };

/** Actions on the organization and its members belong to no environment. */
const isOfTenant = (action: AuditAction) =>
  /^(organization|invitation|member|access|user)\./.test(action);

/**
 * Appends to the tenant's audit log, in the transaction of the change. `changes` holds before and
 * after without secrets. The entry keeps the actor's name as it is now, so a later rename does not
 * change who appears to have acted. Each entry's hash covers its content and its predecessor's
 * hash, so a later alteration is detected. The tenant's entries are therefore written one after
 * another, under a lock that is held until the transaction ends.
 * @returns what identifies the entry, and proves its content to anyone who has the key
 */
export async function recordAudit(caller: Caller, record: AuditRecord): Promise<AuditReceipt> {
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
    actorName: await nameOfActor(caller),
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
  const { sequence, keyId, createdAt } = entry;
  return { sequence, keyId, hash: toHex(hash), createdAt: createdAt.toISOString() };
}

/** Null for the service itself and for operators, who have no name. */
async function nameOfActor({ db, actor, partition }: Caller): Promise<string | null> {
  const select = { name: true };
  if (actor.type === "USER")
    return (await db.user.findUnique({ where: { id: actor.id }, select }))?.name ?? null;
  if (actor.type !== "API_KEY") return null;
  const where = { tenantId_environment_id: { ...partition, id: actor.id } };
  return (await db.apiKey.findUnique({ where, select }))?.name ?? null;
}

const pageSize = 25;

/** Newest first. The cursor is the `sequence` of the previous page's last entry. */
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

/**
 * API keys are left out, because they can also be actors, so the page reads their names anyway. The
 * log shows no names of customers, and only deletions of the other nouns that are missing here.
 */
const findTargetNames: Record<
  Exclude<Audited, "apiKey" | "conversation" | "message" | "customer">,
  FindNames
> = {
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

/** All matching entries, in batches. */
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

/** The latest 50 entries about one target, newest first. */
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
      actorName: true,
      changes: true,
      address: true,
      createdAt: true,
    },
  });
}
