import { recordAudit } from "@/lib/audit/service";
import { queueMail } from "@/lib/mail/service";
import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { AppError, invalidCursor } from "@/lib/platform/errors";
import { requireAuthorityOver, requireGrantable, requireRole } from "@/lib/platform/roles";
import { notFound } from "@/lib/resources/not-found";
import { asRead, pageById, toPage } from "@/lib/resources/pages";
import { revokeSessions } from "@/lib/sessions/service";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { announceOwner, lockTenant } from "@/lib/tenants/service";
import type { Role } from "@/prisma/generated/enums";
import { revokeInvitationsOf } from "./invitations";
import type { ListAssignees, ListMembers } from "./schema";
import { isMemberStatement } from "./service.sql";

/** The members of the organization. Every member may see them. */
export async function listMembers({ db, partition }: Caller, { cursor, limit }: ListMembers) {
  const rows = await db.membership.findMany({
    where: { tenantId: partition.tenantId, ...(cursor && { userId: { gt: cursor } }) },
    orderBy: { userId: "asc" },
    take: limit + 1,
    select: {
      role: true,
      createdAt: true,
      suspendedAt: true,
      user: { select: { id: true, name: true, email: true } },
    },
  });
  const members = rows.map(({ role, createdAt, suspendedAt, user }) => ({
    ...user,
    role,
    joinedAt: createdAt,
    isSuspended: suspendedAt !== null,
  }));
  return toPage(members, limit, (member) => member);
}

/**
 * The API's list of those to whom conversations can be assigned. Suspended members are left out,
 * because they have no access.
 */
export async function listAssignees(caller: Caller, page: ListAssignees) {
  const { db, partition } = caller;
  if (page.cursor) {
    const statement = isMemberStatement({ ...partition, cursor: page.cursor });
    const [found] = await readRows<{ isItem: boolean }>(statement, caller);
    if (!found?.isItem) throw invalidCursor();
  }
  const { after, orderBy, take } = pageById(page);
  const rows = await db.membership.findMany({
    where: {
      tenantId: partition.tenantId,
      suspendedAt: null,
      ...(after.id && { userId: after.id }),
    },
    orderBy: { userId: orderBy.id },
    take,
    select: { role: true, user: { select: { id: true, name: true } } },
  });
  const members = rows.map(({ role, user }) => ({ ...user, role }));
  return toPage(members, page.limit, asRead);
}

/**
 * Takes effect immediately: roles are read from the database for each request. A member who loses a
 * role loses the open invitations that only that role could send.
 * @throws RoleMissing for a member or a role above the caller's own
 * @throws AppError `conflict` if the organization would be left without an owner
 */
export async function changeRole(caller: Caller, userId: string, role: Role): Promise<void> {
  requireRole(caller, "ADMIN", "change roles");
  await requireStepUp(caller, "changeRole");
  const member = await lockMember(caller, userId);
  requireAuthorityOver(caller, member.role, "change the role of owners and admins");
  requireGrantable(caller, role);
  if (member.role === role) return;
  if (member.role === "OWNER") await requireAnotherOwner(caller, userId);

  const where = { tenantId_userId: { tenantId: member.tenantId, userId } };
  await caller.db.membership.update({ where, data: { role } });
  await recordAudit(caller, {
    action: "member.role_changed",
    targetId: userId,
    changes: { before: { role: member.role }, after: { role } },
  });
  await revokeInvitationsOf(caller, userId, role);
  if (role === "OWNER") await announceOwner(caller.db, member.tenantId, userId);
}

/**
 * Ends all of the member's sessions and revokes the invitations they left open. Keys they created
 * stay: they belong to the organization. The member gets a mail.
 */
export async function removeMember(caller: Caller, userId: string): Promise<void> {
  requireRole(caller, "ADMIN", "remove members");
  await requireStepUp(caller, "removeMember");
  const member = await lockMember(caller, userId);
  requireAuthorityOver(caller, member.role, "remove owners and admins");
  if (member.role === "OWNER") await requireAnotherOwner(caller, userId);

  await caller.db.membership.delete({
    where: { tenantId_userId: { tenantId: member.tenantId, userId } },
  });
  await revokeSessions(caller.db, userId);
  await recordAudit(caller, {
    action: "member.removed",
    targetId: userId,
    changes: { before: { role: member.role } },
  });
  await revokeInvitationsOf(caller, userId, null);
  await mailRemoved(caller, userId);
}

/** Needs no daily limit of its own: only members can be removed, and invitations have one. */
async function mailRemoved({ db, partition, actor }: Caller, userId: string): Promise<void> {
  const select = { name: true, email: true } as const;
  const [removed, removedBy, tenant] = await Promise.all([
    db.user.findUniqueOrThrow({ where: { id: userId }, select }),
    db.user.findUniqueOrThrow({ where: { id: actor.id }, select }),
    db.tenant.findUniqueOrThrow({ where: { id: partition.tenantId }, select: { name: true } }),
  ]);
  const { name, email } = removed;
  await queueMail(db, email, {
    kind: "member-removed",
    ...{ name, organization: tenant.name, removedBy },
  });
}

/**
 * Signs a member out on every device, in all of their organizations: a session belongs to the user.
 * They keep their role and can sign in again.
 */
export async function endMemberSessions(caller: Caller, userId: string): Promise<void> {
  requireRole(caller, "ADMIN", "end members' sessions");
  await requireStepUp(caller, "endMemberSessions");
  const member = await lockMember(caller, userId);
  requireAuthorityOver(caller, member.role, "end sessions of owners and admins");
  const { count } = await revokeSessions(caller.db, userId);
  await recordAudit(caller, {
    action: "member.sessions_ended",
    targetId: userId,
    changes: { before: { sessions: count } },
  });
}

/** The signed-in user leaves the organization. */
export async function leaveOrganization(caller: Caller): Promise<void> {
  await requireStepUp(caller, "leaveOrganization");
  const { id: userId } = caller.actor;
  const member = await lockMember(caller, userId);
  if (member.role === "OWNER") await requireAnotherOwner(caller, userId);

  await caller.db.membership.delete({
    where: { tenantId_userId: { tenantId: member.tenantId, userId } },
  });
  await recordAudit(caller, {
    action: "member.left",
    targetId: userId,
    changes: { before: { role: member.role } },
  });
  await revokeInvitationsOf(caller, userId, null);
}

/** Locks the organization, so that two owners cannot demote each other concurrently. */
async function lockMember(caller: Caller, userId: string) {
  const { id: tenantId } = await lockTenant(caller);
  const member = await caller.db.membership.findUnique({
    where: { tenantId_userId: { tenantId, userId } },
  });
  if (!member) throw notFound("user", userId);
  return member;
}

async function requireAnotherOwner({ db, partition }: Caller, userId: string): Promise<void> {
  const other = await db.membership.findFirst({
    where: {
      tenantId: partition.tenantId,
      role: "OWNER",
      suspendedAt: null,
      userId: { not: userId },
    },
  });
  if (!other)
    throw new AppError(
      "conflict",
      "An organization must have at least one owner. Make another member an owner first.",
    );
}
