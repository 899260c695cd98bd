import { recordAudit } from "@/lib/audit/service";
import { requireDailyMailLimit } from "@/lib/mail/daily-limits";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMail } from "@/lib/mail/service";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { AppError, invalidBody, limitReached } from "@/lib/platform/errors";
import { newToken } from "@/lib/platform/link-token";
import { hasRole, mayGrant, requireGrantable, requireRole } from "@/lib/platform/roles";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { notFound } from "@/lib/resources/not-found";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { lockTenant } from "@/lib/tenants/service";
import type { Role } from "@/prisma/generated/enums";
import type { InvitationModel } from "@/prisma/generated/models";
import type { InvitationInput } from "./invitation-schema";

const lifetimeMs = 7 * 24 * 60 * 60_000;
const maximumOpen = 100;
/** The shortest time between two mails for one invitation. */
const resendPauseMs = 60_000;

/** Neither accepted nor revoked. Includes expired invitations, because they can be resent. */
export const openInvitation = { acceptedAt: null, revokedAt: null };

/** Invitations that are neither accepted nor revoked, newest first. */
export async function listInvitations(caller: Caller) {
  requireRole(caller, "ADMIN", "see invitations");
  const where = { tenantId: caller.partition.tenantId, ...openInvitation };
  const rows = await caller.db.invitation.findMany({
    where,
    orderBy: { id: "desc" },
    take: maximumOpen,
  });
  return rows.map(({ id, email, role, invitedById, sentAt, expiresAt, suspendedAt }) => ({
    id,
    email,
    role,
    invitedById,
    sentAt,
    expiresAt,
    isOver: expiresAt <= now(),
    isSuspended: suspendedAt !== null,
  }));
}

type SentInvitation = {
  id: string;
  /** For the inviter to pass on, if no mail is sent; null if the link was mailed to the address. */
  link: string | null;
};

/**
 * @throws RoleMissing for a role above the caller's own
 * @throws AppError `validation` if the address belongs to a member or was already invited
 * @throws AppError `limit-reached` beyond 100 open invitations
 */
export async function createInvitation(
  caller: Caller,
  { email, role }: InvitationInput,
): Promise<SentInvitation> {
  requireRole(caller, "ADMIN", "invite people");
  await requireStepUp(caller, "createInvitation");
  requireGrantable(caller, role);
  const tenant = await lockTenant(caller);
  const tenantId = tenant.id;
  const member = await caller.db.membership.findFirst({ where: { tenantId, user: { email } } });
  if (member) throw invalidBody("/email", "custom", "must not be the address of a member");
  const open = await caller.db.invitation.findMany({
    where: { tenantId, ...openInvitation },
    select: { id: true, email: true, expiresAt: true },
  });
  const at = now();
  if (open.some((invitation) => invitation.email === email && invitation.expiresAt > at)) {
    throw invalidBody(
      "/email",
      "custom",
      "must not be the address of an open invitation: resend that invitation instead",
    );
  }
  if (open.length >= maximumOpen)
    throw limitReached(
      `At most ${maximumOpen} invitations can be open at a time. Revoke some first.`,
      {
        limit: maximumOpen,
        current: open.length,
      },
    );

  // The new invitation replaces an expired one.
  await caller.db.invitation.updateMany({
    where: { tenantId, email, ...openInvitation },
    data: { revokedAt: at },
  });
  const { token, hash } = newToken();
  const invitation = await caller.db.invitation.create({
    data: {
      tenantId,
      id: newId("invitation", at),
      email,
      role,
      invitedById: caller.actor.id,
      createdAt: at,
      ...sending(hash, at),
    },
  });
  await recordAudit(caller, {
    action: "invitation.created",
    targetId: invitation.id,
    changes: { after: { email, role } },
  });
  return send(caller, tenant.name, invitation, token);
}

/**
 * Sends a new link with a full lifetime; the previous link is no longer valid. The caller now
 * vouches for the invitation.
 */
export async function resendInvitation(caller: Caller, id: string): Promise<SentInvitation> {
  requireRole(caller, "ADMIN", "invite people");
  await requireStepUp(caller, "resendInvitation");
  const { tenant, invitation } = await lockInvitation(caller, id);
  requireGrantable(caller, invitation.role);
  const at = now();
  if (at.getTime() - invitation.sentAt.getTime() < resendPauseMs) {
    throw new AppError(
      "conflict",
      "The invitation was sent less than a minute ago. Wait a moment before you send it again.",
    );
  }
  const { token, hash } = newToken();
  const where = { tenantId_id: { tenantId: tenant.id, id } };
  const renewed = await caller.db.invitation.update({
    where,
    data: { ...sending(hash, at), invitedById: caller.actor.id, suspendedAt: null },
  });
  await recordAudit(caller, {
    action: "invitation.resent",
    targetId: id,
    changes: { after: { email: renewed.email } },
  });
  return send(caller, tenant.name, renewed, token);
}

export async function revokeInvitation(caller: Caller, id: string): Promise<void> {
  requireRole(caller, "ADMIN", "revoke invitations");
  await requireStepUp(caller, "revokeInvitation");
  const { invitation } = await lockInvitation(caller, id);
  requireGrantable(caller, invitation.role);
  await revoke(caller, invitation);
}

/**
 * Revokes the open invitations that a member sent and could no longer send. Call it in the
 * transaction that changes the member's role, with the tenant locked.
 * @param role the member's new role; null for a former member
 */
export async function revokeInvitationsOf(
  caller: Caller,
  userId: string,
  role: Role | null,
): Promise<void> {
  const { tenantId } = caller.partition;
  const sent = await caller.db.invitation.findMany({
    where: { tenantId, invitedById: userId, ...openInvitation },
  });
  for (const invitation of sent)
    if (!role || !mayInvite(role, invitation.role)) await revoke(caller, invitation);
}

export const mayInvite = (own: Role, given: Role) => hasRole(own, "ADMIN") && mayGrant(own, given);

async function revoke(
  caller: Caller,
  { tenantId, id, email, role }: InvitationModel,
): Promise<void> {
  await caller.db.invitation.update({
    where: { tenantId_id: { tenantId, id } },
    data: { revokedAt: now() },
  });
  await recordAudit(caller, {
    action: "invitation.revoked",
    targetId: id,
    changes: { before: { email, role } },
  });
}

const sending = (tokenHash: Uint8Array<ArrayBuffer>, at: Date) => ({
  tokenHash,
  wasMailed: mailTransport() === "smtp",
  sentAt: at,
  expiresAt: new Date(at.getTime() + lifetimeMs),
});

async function send(
  caller: Caller,
  organization: string,
  invitation: InvitationModel,
  token: string,
): Promise<SentInvitation> {
  const { id, email, role, expiresAt } = invitation;
  const inviter = await caller.db.user.findUnique({
    where: { id: caller.actor.id },
    select: { name: true },
  });
  const url = `${env().APP_URL}/invite/${token}`;
  const contents = {
    organization,
    invitedBy: inviter?.name ?? "An operator",
    role,
    url,
    expiresAt,
  };
  const cause = { tenantId: caller.partition.tenantId, senderId: caller.actor.id };
  if (mailTransport() !== "none")
    await requireDailyMailLimit(caller.db, { kind: "invitation", recipient: email, ...cause });
  await queueMail(
    caller.db,
    email,
    { kind: "invitation", ...contents },
    { usableUntil: expiresAt, ...cause },
  );
  return { id, link: invitation.wasMailed ? null : url };
}

async function lockInvitation(caller: Caller, id: string) {
  const tenant = await lockTenant(caller);
  const invitation = await caller.db.invitation.findUnique({
    where: { tenantId_id: { tenantId: tenant.id, id }, ...openInvitation },
  });
  if (!invitation) throw notFound("invitation", id);
  return { tenant, invitation };
}
