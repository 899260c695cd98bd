import { recordAudit } from "@/lib/audit/service";
import { queueMailToOwners } from "@/lib/mail/service";
import { type Caller, type Identity, withDatabase } from "@/lib/platform/caller";
import { type Db, db } from "@/lib/platform/db";
import { AppError, limitReached } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { newId } from "@/lib/resources/ids";
import { lockAccount } from "@/lib/resources/lock-row";
import { findProof } from "@/lib/sessions/service";
import type { Plan } from "@/prisma/generated/enums";

/** Requests per minute that a key may make, unless it has its own limit. */
export const planRateLimits: Record<Plan, number> = { FREE: 60, PRO: 600, SCALE: 6_000 };

/**
 * Requests per minute that all keys of one environment may make together, so that creating many
 * keys does not get around the plan.
 */
export const planTenantRateLimits: Record<Plan, number> = {
  FREE: 10 * planRateLimits.FREE,
  PRO: 10 * planRateLimits.PRO,
  SCALE: 10 * planRateLimits.SCALE,
};

export const planNames: Record<Plan, string> = { FREE: "Free", PRO: "Pro", SCALE: "Scale" };

const gigabyte = 1_000_000_000;

/** Bytes of documents and files that one environment may store. */
export const planStorageBytes: Record<Plan, number> = {
  FREE: gigabyte,
  PRO: 10 * gigabyte,
  SCALE: 100 * gigabyte,
};

/**
 * @returns the new tenant. Its slug is derived from the name, with a number appended if it is
 * taken.
 */
export async function createTenant(
  transaction: Db,
  { name, slug, plan = "FREE" }: { name: string; slug?: string; plan?: Plan },
) {
  const base = slugify(slug ?? name);
  for (let suffix = takenPaths.has(base) ? 2 : 1; ; suffix++) {
    const tenant = {
      id: newId("tenant"),
      slug: suffix === 1 ? base : `${base}-${suffix}`,
      name,
      plan,
      createdAt: new Date(),
    };
    const created = await transaction.tenant.createManyAndReturn({
      data: [tenant],
      skipDuplicates: true,
    });
    if (created[0]) return created[0];
  }
}

/** Requests per minute that a key of the caller's tenant may make, unless it has its own limit. */
export const rateLimitOfPlan = async (caller: Caller): Promise<number> =>
  planRateLimits[await planOf(caller)];

export async function planOf({ db, partition }: Caller): Promise<Plan> {
  const { plan } = await db.tenant.findUniqueOrThrow({
    where: { id: partition.tenantId },
    select: { plan: true },
  });
  return plan;
}

/** How many organizations a user may own. An operator can create more. */
const maximumOwned = 20;

/**
 * Creates an organization owned by this user. Call it in a transaction.
 * @throws AppError `limit-reached` beyond 20 owned organizations, `not-found` if the user is deleted
 */
export async function createOwnedTenant(
  transaction: Db,
  owner: { id: string; address: string | null },
  name: string,
) {
  // Deleting an account takes this lock too, and must see the organization.
  if (!(await lockAccount({ db: transaction }, { userId: owner.id })))
    throw new AppError("not-found", "Your account was deleted.");
  const owned = await transaction.membership.count({
    where: { userId: owner.id, role: "OWNER", tenant: { movedTo: null } },
  });
  if (owned >= maximumOwned) {
    throw limitReached(`You've reached the limit of ${maximumOwned} organizations.`, {
      limit: maximumOwned,
      current: owned,
    });
  }

  const tenant = await createTenant(transaction, { name });
  await transaction.membership.create({
    data: { tenantId: tenant.id, userId: owner.id, role: "OWNER", createdAt: tenant.createdAt },
  });
  const identity: Identity = {
    partition: { tenantId: tenant.id, environment: "test" },
    actor: { type: "USER", id: owner.id, role: "OWNER" },
    request: null,
    address: owner.address,
  };
  await recordAudit(withDatabase(identity, transaction), {
    action: "organization.created",
    targetId: tenant.id,
    changes: { after: { name, slug: tenant.slug } },
  });
  return tenant;
}

/** The same, in its own transaction. */
export function createOrganization(owner: { id: string; address: string | null }, name: string) {
  return db().$transaction((transaction) => createOwnedTenant(transaction, owner, name));
}

export function getTenant({ db, partition }: Caller) {
  return db.tenant.findUniqueOrThrow({ where: { id: partition.tenantId } });
}

/** The slug does not change, because it is in bookmarks. */
export async function renameTenant(caller: Caller, name: string) {
  requireRole(caller, "ADMIN", "rename the organization");
  const before = await lockTenantAsMember(caller);
  if (before.name === name) return before;

  const after = await caller.db.tenant.update({ where: { id: before.id }, data: { name } });
  await recordAudit(caller, {
    action: "organization.renamed",
    targetId: before.id,
    changes: { before: { name: before.name }, after: { name } },
  });
  return after;
}

/**
 * Changes the limits of the organization's keys and of its storage. Processes look up keys again
 * within a second, so this needs no notification. Only an operator calls it.
 */
export async function setPlan(caller: Caller, plan: Plan) {
  const before = await lockTenant(caller);
  if (before.plan === plan) return before;

  const after = await caller.db.tenant.update({ where: { id: before.id }, data: { plan } });
  await recordAudit(caller, {
    action: "organization.plan_changed",
    targetId: before.id,
    changes: { before: { plan: before.plan }, after: { plan } },
  });
  return after;
}

/** Mails every owner, including the new one. Call it in the transaction that made them an owner. */
export async function announceOwner(
  transaction: Db,
  tenantId: string,
  userId: string,
): Promise<void> {
  const { name, email } = await transaction.user.findUniqueOrThrow({ where: { id: userId } });
  await queueMailToOwners(transaction, tenantId, {
    kind: "owner-added",
    ownerName: name,
    ownerEmail: email,
  });
}

/**
 * Locks the row until the transaction ends, so that changes to an organization's members are
 * serialized.
 */
export async function lockTenant(caller: Caller) {
  await lockAccount(caller, { tenantId: caller.partition.tenantId });
  return getTenant(caller);
}

/**
 * The same for a change that depends on the user's role. The request may have waited for the lock
 * while the user was demoted or removed, or while their session was ended. Keys, jobs and operators
 * only take the lock.
 * @throws AppError `not-found`, `conflict` or `unauthorized` if that happened
 */
export async function lockTenantAsMember(caller: Caller) {
  const tenant = await lockTenant(caller);
  const { actor, db } = caller;
  if (actor.type !== "USER") return tenant;
  const membership = await db.membership.findUnique({
    where: { tenantId_userId: { tenantId: tenant.id, userId: actor.id }, suspendedAt: null },
    select: { role: true },
  });
  if (!membership)
    throw new AppError("not-found", "You are no longer a member of this organization.");
  if (membership.role !== actor.role)
    throw new AppError(
      "conflict",
      "Your role in this organization has changed. Reload the page and try again.",
    );
  if (actor.sessionId && !(await findProof(db, actor.sessionId)))
    throw new AppError("unauthorized", "Your session has ended. Sign in again.");
  return tenant;
}

/** Every organization, oldest first. For operators. */
export function listTenants() {
  return db().tenant.findMany({
    select: { id: true, slug: true, name: true, plan: true, createdAt: true },
    orderBy: { id: "asc" },
  });
}

export async function findTenantBySlug(slug: string) {
  const tenant = await db().tenant.findUnique({ where: { slug } });
  // A deleted one has its id as its slug until its rows are gone. Nothing may be added to it.
  if (tenant && (await db().tenantDeletion.findUnique({ where: { tenantId: tenant.id } })))
    return null;
  return tenant;
}

/**
 * Reserved slugs. A tenant's slug is the first segment of its dashboard paths, and these paths are
 * already in use.
 */
const takenPaths = new Set([
  "api",
  "confirmed",
  "dev",
  "docs",
  "sdk",
  "files",
  "fonts",
  "health",
  "invite",
  "login",
  "mcp",
  "metrics",
  "password",
  "ready",
  "second-factor",
  "signup",
  "v1",
  "verify",
  "welcome",
]);

function slugify(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  return slug || "tenant";
}
