import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMail } from "@/lib/mail/service";
import type { Caller } from "@/lib/platform/caller";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { listMentionable } from "@/lib/users/service";
import type { NotificationKind } from "@/prisma/generated/enums";
import type { NotificationChoice } from "./choices";
import { findMentions } from "./mentions";

const tenMinutesMs = 10 * 60_000;

type ConversationNotification = Exclude<NotificationKind, "QUOTA">;

const kinds = {
  ASSIGNED: {
    dashboard: "assigned:dashboard",
    mail: "assigned:mail",
    mailKind: "conversation-assigned",
  },
  MENTIONED: {
    dashboard: "mentioned:dashboard",
    mail: "mentioned:mail",
    mailKind: "conversation-mentioned",
  },
} as const satisfies Record<
  ConversationNotification,
  { dashboard: NotificationChoice; mail: NotificationChoice; mailKind: string }
>;

/** Call it in the transaction of the assignment. No one is notified of what they do themselves. */
export async function notifyAssignee(
  caller: Caller,
  conversationId: string,
  assigneeId: string,
): Promise<void> {
  if (assigneeId !== caller.actor.id)
    await notify(caller, "ASSIGNED", conversationId, [assigneeId]);
}

/** Notifies the members whom a member mentions. A text without an `@` costs nothing. */
export async function notifyMentioned(
  caller: Caller,
  conversationId: string,
  text: string | null | undefined,
): Promise<void> {
  if (caller.actor.type !== "USER" || !text?.includes("@")) return;
  const mentioned = findMentions(text, await listMentionable(caller));
  const others = mentioned.filter((id) => id !== caller.actor.id);
  if (others.length > 0) await notify(caller, "MENTIONED", conversationId, others);
}

async function notify(
  caller: Caller,
  kind: ConversationNotification,
  conversationId: string,
  userIds: string[],
): Promise<void> {
  const { db, partition, actor } = caller;
  const { dashboard, mail, mailKind } = kinds[kind];
  const users = await db.user.findMany({
    where: {
      id: { in: userIds },
      memberships: { some: { tenantId: partition.tenantId, suspendedAt: null } },
    },
    select: { id: true, email: true, mutedNotifications: true },
  });
  const at = now();
  const shown = users.filter((user) => !user.mutedNotifications.includes(dashboard));
  if (shown.length > 0)
    await db.notification.createMany({
      data: shown.map(({ id: userId }) => ({
        ...{ ...partition, id: newId("notification", at), userId, kind },
        ...{ conversationId, actorId: actor.id, createdAt: at },
      })),
    });

  const mailed = users.filter((user) => !user.mutedNotifications.includes(mail));
  if (mailed.length === 0 || mailTransport() === "none") return;
  const [tenant, member] = await Promise.all([
    db.tenant.findUniqueOrThrow({
      where: { id: partition.tenantId },
      select: { slug: true, name: true },
    }),
    db.user.findUnique({ where: { id: actor.id }, select: { name: true } }),
  ]);
  const { environment } = partition;
  const news = { tenant, environment, conversationId, actorName: member?.name ?? anApiKey };
  // Assigning fifty conversations at once must not cause fifty mails.
  const slot = Math.floor(at.getTime() / tenMinutesMs);
  for (const { id, email } of mailed)
    await queueMail(
      db,
      email,
      { kind: mailKind, ...news },
      { name: `${mailKind}:${partition.tenantId}:${environment}:${id}:${slot}` },
    );
}

const anApiKey = "An API key";

/** Notifies the owners and admins in the dashboard. Their mail is another one. */
export async function notifyOfQuota({ db, partition }: Caller, percent: number): Promise<void> {
  const admins = await db.membership.findMany({
    where: {
      tenantId: partition.tenantId,
      role: { in: ["OWNER", "ADMIN"] },
      suspendedAt: null,
      NOT: {
        user: { mutedNotifications: { has: "quota:dashboard" satisfies NotificationChoice } },
      },
    },
    select: { userId: true },
  });
  const at = now();
  await db.notification.createMany({
    data: admins.map(({ userId }) => ({
      ...{ ...partition, id: newId("notification", at), userId, createdAt: at },
      ...{ kind: "QUOTA" as const, quotaPercent: percent },
    })),
  });
}

const most = 100;

const ofUser = ({ partition, actor }: Caller) => ({ ...partition, userId: actor.id });

/**
 * The newest notifications of the user, each with the page that it leads to. Those of deleted
 * conversations are left out.
 */
export async function listNotifications(caller: Caller, { isUnread = false } = {}) {
  const { db, partition } = caller;
  const rows = await db.notification.findMany({
    where: { ...ofUser(caller), ...(isUnread && { readAt: null }) },
    orderBy: { id: "desc" },
    take: most,
  });
  if (rows.length === 0) return [];
  const [conversations, users] = await Promise.all([
    db.conversation.findMany({
      where: {
        ...partition,
        id: { in: rows.flatMap(({ conversationId }) => conversationId ?? []) },
      },
      select: { id: true, subject: true },
    }),
    db.user.findMany({
      where: { id: { in: rows.flatMap(({ actorId }) => actorId ?? []) } },
      select: { id: true, name: true },
    }),
  ]);
  const subjects = new Map(conversations.map(({ id, subject }) => [id, subject]));
  const names = new Map(users.map(({ id, name }) => [id, name]));
  return rows.flatMap(({ id, kind, conversationId, actorId, quotaPercent, createdAt, readAt }) => {
    const row = { id, createdAt, isUnread: readAt === null };
    if (kind === "QUOTA") {
      const sentence = `Storage reached ${quotaPercent}% of its quota`;
      return [
        { ...row, page: quotaPage, sentence, about: `The ${partition.environment} environment` },
      ];
    }
    const subject = subjects.get(conversationId ?? "");
    if (subject === undefined) return [];
    const actorName = names.get(actorId ?? "") ?? anApiKey;
    const sentence =
      kind === "ASSIGNED"
        ? `${actorName} assigned you a conversation`
        : `${actorName} mentioned you`;
    const page = `${conversationPages}${conversationId}`;
    return [{ ...row, page, sentence, about: subject ?? "No subject" }];
  });
}

const conversationPages = "conversations/";
const quotaPage = "usage";

/** Marks the user's own notifications as read: those that lead to one page, or all. */
export async function markNotificationsRead(caller: Caller, page: string | null): Promise<void> {
  const ofPage = page?.startsWith(conversationPages)
    ? { conversationId: page.slice(conversationPages.length) }
    : { kind: "QUOTA" as const };
  await caller.db.notification.updateMany({
    where: { ...ofUser(caller), readAt: null, ...(page !== null && ofPage) },
    data: { readAt: now() },
  });
}

/** What the user turned off, in every organization. */
export async function getMutedNotifications({ db, actor }: Caller): Promise<string[]> {
  const select = { mutedNotifications: true };
  return (await db.user.findUniqueOrThrow({ where: { id: actor.id }, select })).mutedNotifications;
}

export async function changeMutedNotifications(
  { db, actor }: Caller,
  muted: NotificationChoice[],
): Promise<void> {
  await db.user.update({
    where: { id: actor.id },
    data: { mutedNotifications: [...new Set(muted)] },
  });
}
