import { forgetKey } from "@/lib/api-keys/stored-api-key";
import { recordAudit } from "@/lib/audit/service";
import { queueMail } from "@/lib/mail/service";
import { type Caller, withDatabase } from "@/lib/platform/caller";
import { type Db, runSql } from "@/lib/platform/db";
import { hasRole, mayGrant } from "@/lib/platform/roles";
import { lockTenant } from "@/lib/tenants/service";
import { Environment, type Role } from "@/prisma/generated/enums";
import { formerOrganizationsStatement } from "./service.sql";
import { madeSince, roleIn, type Trace, traceAccess } from "./trace-access";

/** Ids of everything that gives access to an organization. */
export type Access = {
  apiKeys: string[];
  webhooks: string[];
  /** The organization's id, if it sends alerts to a chat. */
  alertTargets: string[];
  invitations: string[];
  members: string[];
};

const environments = Object.values(Environment);

export const countAccess = (access: Access) =>
  Object.values(access).reduce((sum, ids) => sum + ids.length, 0);

/**
 * Everything that gave access before a user's address was verified, by organization: in one they
 * created, everything; in any other, what they made or changed themselves, the members they let in,
 * and what these made. Conversations, agents and other content give no access to anyone and are left out.
 */
export async function accessMadeBy(
  transaction: Db,
  userId: string,
): Promise<{ organization: string; access: Access }[]> {
  const found = [];
  for (const { tenantId, name } of await organizationsOf(transaction, userId)) {
    found.push({
      organization: name,
      access: await accessIn(transaction, tenantId, userId),
    });
  }
  return found.filter(({ access }) => countAccess(access) > 0);
}

/**
 * The organizations of the user, and those they have left or were removed from: a thief could do
 * that after letting someone in. Always in the same order, because suspending takes each
 * organization's lock.
 */
async function organizationsOf(transaction: Db, userId: string, since?: Date) {
  const memberships = await transaction.membership.findMany({
    where: { userId, tenant: { movedTo: null } },
    select: { tenantId: true, tenant: { select: { name: true } } },
  });
  const former = await runSql<{ tenantId: string; name: string }>(
    formerOrganizationsStatement({ userId, since: since ?? null }),
    { db: transaction },
  );
  const current = memberships.map(({ tenantId, tenant }) => ({ tenantId, name: tenant.name }));
  return [...current, ...former].sort((one, other) => (one.tenantId < other.tenantId ? -1 : 1));
}

/**
 * What is suspended depends on the user's role: nobody loses access through someone who could not
 * have given it, so that a demoted or removed member cannot stop an organization.
 *
 * A thief could demote the victim, though. So the role is the one that the user had before the
 * account itself, or someone it gave access, took it away. That looks the same when a founder hands
 * an organization over, is demoted by the new owner, and then claims that a thief did it. The
 * records cannot say which of the two is true, so an active owner who is not under suspicion must
 * decide: everything is suspended, and they confirm it. Without such an owner, only the user's
 * present role counts. So every organization keeps an active owner.
 */
async function accessIn(
  transaction: Db,
  tenantId: string,
  userId: string,
  since?: Date,
): Promise<Access> {
  const membership = await transaction.membership.findUnique({
    where: { tenantId_userId: { tenantId, userId }, suspendedAt: null },
    select: { role: true },
  });
  const role = membership?.role ?? null;
  const isOwner = role === "OWNER";
  if (isOwner && (await hasCreated(transaction, tenantId, userId, since)))
    return accessGivenBy(transaction, { tenantId, userId, role, trace: null }, since);

  const trace = await traceAccess(transaction, tenantId, userId, since);
  const earlier = await roleBeforeAccount(transaction, { tenantId, userId, role, trace }, since);
  const claim = { tenantId, userId, role: earlier, trace };
  const access = await accessGivenBy(transaction, claim, since);
  if (isOwner || earlier === role || (await hasOtherOwner(transaction, claim, access)))
    return access;
  return accessGivenBy(transaction, { ...claim, role }, since);
}

type Claim = {
  tenantId: string;
  userId: string;
  /** The role that decides what the user could have given; null for none. */
  role: Role | null;
  /** Null for everything in the organization. */
  trace: Trace | null;
};

async function hasCreated(transaction: Db, tenantId: string, userId: string, since?: Date) {
  const found = await transaction.auditEntry.findFirst({
    where: { tenantId, actorId: userId, action: "organization.created", ...madeSince(since) },
  });
  return found !== null;
}

/** The highest role that the account has lost since the last time someone else changed it. */
async function roleBeforeAccount(
  transaction: Db,
  { tenantId, userId, role, trace }: Claim & { trace: Trace },
  since?: Date,
): Promise<Role | null> {
  const losses = await transaction.auditEntry.findMany({
    where: {
      tenantId,
      targetId: userId,
      action: { in: ["member.role_changed", "member.left", "member.removed"] },
      ...madeSince(since),
    },
    orderBy: { sequence: "desc" },
  });
  const byOther = losses.findIndex((entry) => !trace.isByAccount(entry));
  return losses
    .slice(0, byOther === -1 ? undefined : byOther)
    .map(({ changes }) => roleIn(changes, "before"))
    .reduce(
      (highest, lost) => (lost && !(highest && hasRole(highest, lost)) ? lost : highest),
      role,
    );
}

/** Whether an active owner is left who can decide about what is suspended. */
async function hasOtherOwner(transaction: Db, { tenantId, userId }: Claim, { members }: Access) {
  const owner = await transaction.membership.findFirst({
    where: {
      tenantId,
      role: "OWNER",
      suspendedAt: null,
      userId: { notIn: [userId, ...members] },
    },
  });
  return owner !== null;
}

async function accessGivenBy(
  transaction: Db,
  { tenantId, userId, role, trace }: Claim,
  since?: Date,
): Promise<Access> {
  // Members and viewers can give no access.
  if (!role || !hasRole(role, "ADMIN"))
    return { apiKeys: [], webhooks: [], alertTargets: [], invitations: [], members: [] };
  const only = trace && { in: trace.touched };
  const ofTenant = {
    tenantId,
    environment: { in: environments },
    suspendedAt: null,
    ...(only && { id: only }),
  };
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const members = await transaction.membership.findMany({
    where: { tenantId, suspendedAt: null, userId: { not: userId, ...only } },
    select: { userId: true, role: true },
  });
  return {
    apiKeys: ids(
      await transaction.apiKey.findMany({
        where: { ...ofTenant, revokedAt: null },
        select: { id: true },
      }),
    ),
    webhooks: ids(
      await transaction.webhook.findMany({
        where: { ...ofTenant, deletedAt: null },
        select: { id: true },
      }),
    ),
    alertTargets: (await hasSetAlertTarget(transaction, tenantId, trace, since)) ? [tenantId] : [],
    invitations: ids(
      await transaction.invitation.findMany({
        where: {
          tenantId,
          suspendedAt: null,
          acceptedAt: null,
          revokedAt: null,
          ...(only && { id: only }),
        },
        select: { id: true },
      }),
    ),
    members: members.filter((member) => mayGrant(role, member.role)).map((member) => member.userId),
  };
}

/** @param trace null for any user */
async function hasSetAlertTarget(
  transaction: Db,
  tenantId: string,
  trace: Trace | null,
  since?: Date,
): Promise<boolean> {
  const where = { tenantId, suspendedAt: null };
  if (!(await transaction.alertTarget.findUnique({ where, select: { host: true } }))) return false;
  if (trace === null) return true;
  // Whoever set it last: an earlier URL is gone.
  const latest = await transaction.auditEntry.findFirst({
    where: { tenantId, action: "alerts.changed", ...madeSince(since) },
    orderBy: { sequence: "desc" },
    select: { actorId: true, sequence: true },
  });
  return latest !== null && trace.isByAccount(latest);
}

/**
 * Suspends everything that gave access before the user's address was verified, until an owner or
 * admin confirms it: anyone could have signed up with the address first. Writes an audit entry in
 * each organization, and mails the user a list.
 * @param since leaves out what was made or changed earlier
 */
export async function suspendAccessMadeBy(
  transaction: Db,
  user: { id: string; email: string; name: string },
  at: Date,
  address: string | null,
  since?: Date,
) {
  const organizations: { name: string; count: number }[] = [];
  for (const { tenantId, name } of await organizationsOf(transaction, user.id, since)) {
    const partition = { tenantId, environment: "test" as const };
    // Without the rights of a role: what may be suspended is decided below.
    const actor = { type: "USER", id: user.id, role: "VIEWER" } as const;
    const caller = withDatabase({ partition, actor, request: null, address }, transaction);
    // Waits for changes in progress, so that they are included.
    await lockTenant(caller);
    const access = await accessIn(transaction, tenantId, user.id, since);
    if (countAccess(access) === 0) continue;
    await suspend(caller, access, at);
    await recordAudit(caller, {
      action: "access.suspended",
      targetId: user.id,
      changes: { after: access },
    });
    organizations.push({ name, count: countAccess(access) });
  }
  if (organizations.length > 0)
    await queueMail(transaction, user.email, {
      kind: "access-suspended",
      name: user.name,
      since: since ?? null,
      organizations,
    });
}

async function suspend(
  { db, partition: { tenantId } }: Caller,
  { apiKeys, webhooks, alertTargets, invitations, members }: Access,
  at: Date,
) {
  const data = { suspendedAt: at };
  const inBoth = { tenantId, environment: { in: environments } };
  const keys = await db.apiKey.updateManyAndReturn({
    where: { ...inBoth, id: { in: apiKeys } },
    data,
  });
  for (const key of keys) await forgetKey({ db }, key);
  const hooks = { ...inBoth, id: { in: webhooks } };
  await db.webhook.updateMany({ where: hooks, data });
  await db.webhook.updateMany({
    where: { ...hooks, status: "ENABLED" },
    data: {
      status: "DISABLED",
      disabledReason: "UNCONFIRMED",
      disabledAt: at,
      probeAfter: null,
      updatedAt: at,
    },
  });
  if (alertTargets.length > 0) await db.alertTarget.updateMany({ where: { tenantId }, data });
  await db.invitation.updateMany({ where: { tenantId, id: { in: invitations } }, data });
  await db.membership.updateMany({ where: { tenantId, userId: { in: members } }, data });
}
