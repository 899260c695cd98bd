import { forgetKey } from "@/lib/api-keys/stored-api-key";
import { recordAudit } from "@/lib/audit/service";
import { queueMail } from "@/lib/mail/service";
import { type Caller, withDatabase } from "@/lib/platform/caller";
import type { Db } from "@/lib/platform/db";
import { lockTenant } from "@/lib/tenants/service";
import { Environment } from "@/prisma/generated/enums";
import { madeSince, type Trace, traceAccess } from "./trace-access";

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
  for (const { tenantId, tenant } of await membershipsOf(transaction, userId)) {
    found.push({
      organization: tenant.name,
      access: await accessIn(transaction, tenantId, userId),
    });
  }
  return found.filter(({ access }) => countAccess(access) > 0);
}

/** Always in the same order, because suspending takes each organization's lock. */
const membershipsOf = (transaction: Db, userId: string) =>
  transaction.membership.findMany({
    where: { userId, tenant: { movedTo: null } },
    orderBy: { tenantId: "asc" },
    include: { tenant: { select: { name: true } } },
  });

async function accessIn(
  transaction: Db,
  tenantId: string,
  userId: string,
  since?: Date,
): Promise<Access> {
  const hasCreated = await transaction.auditEntry.findFirst({
    where: { tenantId, actorId: userId, action: "organization.created", ...madeSince(since) },
  });
  const trace = hasCreated ? null : await traceAccess(transaction, tenantId, userId, since);
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
    select: { userId: true },
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
    members: members.map((member) => member.userId),
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
  for (const { tenantId, role, tenant } of await membershipsOf(transaction, user.id)) {
    const partition = { tenantId, environment: "test" as const };
    const caller = withDatabase(
      { partition, actor: { type: "USER", id: user.id, role }, request: null, address },
      transaction,
    );
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
    organizations.push({ name: tenant.name, count: countAccess(access) });
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
