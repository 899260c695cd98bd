import { forgetKey } from "@/lib/api-keys/stored-api-key";
import { recordAudit } from "@/lib/audit/service";
import { enableWebhook } from "@/lib/deliveries/service";
import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { requireAuthorityOver, requireGrantable, requireRole } from "@/lib/platform/roles";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { lockTenant } from "@/lib/tenants/service";
import { Environment } from "@/prisma/generated/enums";
import type { ConfirmAccess } from "./schema";
import { countSuspendedStatement } from "./service.sql";
import { type Access, countAccess } from "./suspend-access";

/** Everything that is suspended in the organization, in both environments. */
export async function listSuspendedAccess(caller: Caller) {
  requireRole(caller, "ADMIN", "review suspended access");
  const { db, partition } = caller;
  const { tenantId } = partition;
  const suspended = { tenantId, suspendedAt: { not: null } };
  const inBoth = { ...suspended, environment: { in: Object.values(Environment) } };
  const [apiKeys, webhooks, alertTargets, invitations, memberships] = await Promise.all([
    db.apiKey.findMany({
      where: { ...inBoth, revokedAt: null },
      orderBy: { id: "asc" },
      omit: { hash: true },
    }),
    db.webhook.findMany({ where: { ...inBoth, deletedAt: null }, orderBy: { id: "asc" } }),
    db.alertTarget.findMany({
      where: suspended,
      select: { tenantId: true, host: true, changedAt: true },
    }),
    db.invitation.findMany({
      where: { ...suspended, acceptedAt: null, revokedAt: null },
      orderBy: { id: "asc" },
      omit: { tokenHash: true },
    }),
    db.membership.findMany({
      where: suspended,
      orderBy: { userId: "asc" },
      select: {
        role: true,
        createdAt: true,
        user: { select: { id: true, name: true, email: true } },
      },
    }),
  ]);
  const members = memberships.map(({ user, ...membership }) => ({ ...membership, ...user }));
  return {
    ...{ apiKeys, webhooks, invitations, members },
    alertTargets: alertTargets.map(({ tenantId: id, ...target }) => ({ ...target, id })),
  };
}

export type SuspendedAccess = Awaited<ReturnType<typeof listSuspendedAccess>>;

export const countSuspendedAccess = (found: SuspendedAccess) => countAccess(idsOf(found));

/** Counts it, for pages that show only how much is suspended, in one statement. */
export async function countAllSuspendedAccess(caller: Caller): Promise<number> {
  requireRole(caller, "ADMIN", "review suspended access");
  const { tenantId } = caller.partition;
  const [row] = await runSql<{ count: number }>(countSuspendedStatement({ tenantId }));
  return row?.count ?? 0;
}

/**
 * Restores suspended access: keys work again, webhooks receive the deliveries that were held,
 * alerts are sent, invitations can be accepted, and members can sign in. Everything else stays suspended until it is
 * revoked.
 * @throws AppError `not-found` for what is not suspended
 */
export async function confirmAccess(caller: Caller, wanted: ConfirmAccess): Promise<void> {
  requireRole(caller, "ADMIN", "confirm suspended access");
  await requireStepUp(caller, "confirmAccess");
  await lockTenant(caller);
  const found = await listSuspendedAccess(caller);
  const isWanted =
    (kind: keyof Access) =>
    ({ id }: { id: string }) =>
      wanted === "everything" || (wanted.kind === kind && wanted.id === id);
  const chosen = {
    apiKeys: found.apiKeys.filter(isWanted("apiKeys")),
    webhooks: found.webhooks.filter(isWanted("webhooks")),
    alertTargets: found.alertTargets.filter(isWanted("alertTargets")),
    invitations: found.invitations.filter(isWanted("invitations")),
    members: found.members.filter(isWanted("members")),
  };
  if (countSuspendedAccess(chosen) === 0)
    throw new AppError("not-found", "This is no longer suspended. Reload the page.");
  for (const { role } of chosen.members)
    requireAuthorityOver(caller, role, "confirm owners and admins");
  for (const { role } of [...chosen.members, ...chosen.invitations]) requireGrantable(caller, role);

  const access = idsOf(chosen);
  await lift(caller, access);
  for (const { id, environment, disabledReason } of chosen.webhooks) {
    const there = { ...caller, partition: { ...caller.partition, environment } };
    if (disabledReason === "UNCONFIRMED") await enableWebhook(there, id, { held: "RESUME" });
  }
  await recordAudit(caller, {
    action: "access.confirmed",
    targetId: caller.partition.tenantId,
    changes: { after: access },
  });
}

async function lift(
  { db, partition, actor }: Caller,
  { apiKeys, webhooks, alertTargets, invitations, members }: Access,
): Promise<void> {
  const data = { suspendedAt: null };
  const { tenantId } = partition;
  const inBoth = { tenantId, environment: { in: Object.values(Environment) } };
  const keys = await db.apiKey.updateManyAndReturn({
    where: { ...inBoth, id: { in: apiKeys } },
    data,
  });
  for (const key of keys) await forgetKey({ db }, key);
  await db.webhook.updateMany({ where: { ...inBoth, id: { in: webhooks } }, data });
  if (alertTargets.length > 0) await db.alertTarget.updateMany({ where: { tenantId }, data });
  // The member who confirms an invitation vouches for it from now on.
  await db.invitation.updateMany({
    where: { tenantId, id: { in: invitations } },
    data: { ...data, invitedById: actor.id },
  });
  await db.membership.updateMany({ where: { tenantId, userId: { in: members } }, data });
}

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

const idsOf = ({
  apiKeys,
  webhooks,
  alertTargets,
  invitations,
  members,
}: Record<keyof Access, { id: string }[]>): Access => ({
  apiKeys: ids(apiKeys),
  webhooks: ids(webhooks),
  alertTargets: ids(alertTargets),
  invitations: ids(invitations),
  members: ids(members),
});
