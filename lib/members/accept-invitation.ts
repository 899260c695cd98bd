import { recordAudit } from "@/lib/audit/service";
import { type Identity, withDatabase } from "@/lib/platform/caller";
import { type Db, db } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { hashToken } from "@/lib/platform/link-token";
import { now } from "@/lib/platform/time";
import { isId } from "@/lib/resources/ids";
import { lockAccount } from "@/lib/resources/lock-row";
import { announceOwner } from "@/lib/tenants/service";
import { createUser, findUserByEmail } from "@/lib/users/service";
import type { InvitationModel } from "@/prisma/generated/models";
import { mayInvite, openInvitation } from "./invitations";

/**
 * The details that the holder of the link can see before accepting; null if the link is not or no
 * longer valid.
 */
export async function findInvitation(token: string) {
  const invitation = await findOpen(db(), token);
  if (!invitation) return null;
  const { email, role, tenant, invitedById } = invitation;
  const [inviter, holder] = await Promise.all([
    db().user.findUnique({ where: { id: invitedById }, select: { name: true } }),
    findUserByEmail(db(), email),
  ]);
  return {
    organization: tenant.name,
    email,
    role,
    invitedBy: inviter?.name ?? null,
    hasAccount: holder !== null,
  };
}

async function findOpen(transaction: Db, token: string) {
  const invitation = await transaction.invitation.findUnique({
    where: {
      tokenHash: hashToken(token),
      ...openInvitation,
      suspendedAt: null,
      expiresAt: { gt: now() },
    },
    include: { tenant: { select: { name: true, slug: true } } },
  });
  return invitation && (await isStillVouchedFor(transaction, invitation)) ? invitation : null;
}

/** Whether the inviter could still send this invitation now. An operator always can. */
async function isStillVouchedFor(
  transaction: Db,
  { tenantId, invitedById, role }: InvitationModel,
): Promise<boolean> {
  if (!isId("user", invitedById)) return true;
  const key = { tenantId_userId: { tenantId, userId: invitedById } };
  const inviter = await transaction.membership.findUnique({ where: { ...key, suspendedAt: null } });
  return inviter !== null && mayInvite(inviter.role, role);
}

export const invitationIsOver =
  "This invitation was already used, was revoked, or has expired. Ask for a new one.";

type Accepting = { id: string; email: string; address: string | null };

/**
 * For a signed-in user.
 * @returns the organization's slug
 * @throws AppError `not-found` if the link is not valid, `conflict` if it is for another address
 */
export function acceptInvitation(user: Accepting, token: string): Promise<{ tenantSlug: string }> {
  return db().$transaction((transaction) => accept(transaction, user, token));
}

async function accept(
  transaction: Db,
  user: Accepting,
  token: string,
): Promise<{ tenantSlug: string }> {
  // Deleting the account locks the user and then their organizations. It must see this membership.
  if (!(await lockAccount({ db: transaction }, { userId: user.id })))
    throw new AppError("not-found", "Your account was deleted.");
  // Locks the organization next, like every change to its members, so that the inviter is not
  // removed in the meantime.
  const hash = hashToken(token);
  const invited = await transaction.invitation.findFirst({
    where: { tokenHash: hash },
    select: { tenantId: true },
  });
  if (invited) await lockAccount({ db: transaction }, invited);
  const invitation = await findOpen(transaction, token);
  if (!invitation) throw new AppError("not-found", invitationIsOver);
  const { tenantId, id, email, role, tenant } = invitation;
  if (email !== user.email)
    throw new AppError(
      "conflict",
      `This invitation is for ${email}, and you are signed in as ${user.email}.`,
    );

  const at = now();
  // A user who became a member in the meantime keeps their role.
  const { count } = await transaction.membership.createMany({
    data: [{ tenantId, userId: user.id, role, createdAt: at }],
    skipDuplicates: true,
  });
  const isNew = count > 0;
  await transaction.invitation.update({
    where: { tenantId_id: { tenantId, id } },
    data: { acceptedAt: at, acceptedById: user.id },
  });
  const identity: Identity = {
    partition: { tenantId, environment: "test" },
    actor: { type: "USER", id: user.id, role },
    request: null,
    address: user.address,
  };
  await recordAudit(withDatabase(identity, transaction), {
    action: "invitation.accepted",
    targetId: id,
    changes: { after: { email, ...(isNew && { role }) } },
  });
  if (isNew && role === "OWNER") await announceOwner(transaction, tenantId, user.id);
  return { tenantSlug: tenant.slug };
}

/** The same for a new user, whose account is created in the same transaction. */
export async function acceptAsNewUser(
  transaction: Db,
  token: string,
  person: { name: string; passwordHash: string; address: string | null },
): Promise<{ tenantSlug: string; userId: string }> {
  const invitation = await findOpen(transaction, token);
  if (!invitation) throw new AppError("not-found", invitationIsOver);
  const user = await createUser(transaction, {
    ...person,
    email: invitation.email,
    emailVerifiedAt: invitation.wasMailed ? now() : null,
  });
  const { tenantSlug } = await accept(transaction, { ...user, address: person.address }, token);
  return { tenantSlug, userId: user.id };
}
