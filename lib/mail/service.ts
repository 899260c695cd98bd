import { type Db, db } from "@/lib/platform/db";
import { mailContext, openSecret, sealSecret } from "@/lib/platform/secret-box";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import type { Role } from "@/prisma/generated/enums";
import type { MailModel } from "@/prisma/generated/models";
import type { AdminMail, Mail } from "./mail-kinds";
import { type WrittenMail, writeMail } from "./write-mail";

type Options = {
  /**
   * Of two mails with the same name, only the first is queued, so a job that finds the same warning
   * again does not repeat it.
   */
  name?: string;
  /** After this time, the mail is no longer sent, because its link is no longer valid. */
  usableUntil?: Date;
  /** Members who turned this off in their notifications get no mail. */
  unlessMuted?: string;
  /** Who caused it, for the daily limits (daily-limits.ts). */
  tenantId?: string;
  senderId?: string;
};

/**
 * Queues a mail, in the transaction of the change that it is about. A job sends it after the
 * commit, and retries until it is sent.
 */
export async function queueMail(
  transaction: Db,
  to: string,
  mail: Mail,
  options: Options = {},
): Promise<void> {
  await write(transaction, [{ to, mail, ...options }]);
}

/**
 * Queues one mail to each owner and admin of a tenant, in the transaction of the change that it is
 * about. A tenant that an operator created without members gets no mail.
 */
export function queueMailToAdmins(
  transaction: Db,
  tenantId: string,
  mail: AdminMail,
  options: Options = {},
): Promise<void> {
  return queueMailToRoles(transaction, tenantId, ["OWNER", "ADMIN"], mail, options);
}

/** The same for owners only. */
export function queueMailToOwners(
  transaction: Db,
  tenantId: string,
  mail: AdminMail,
): Promise<void> {
  return queueMailToRoles(transaction, tenantId, ["OWNER"], mail, {});
}

/** The same for all members. */
export function queueMailToMembers(
  transaction: Db,
  tenantId: string,
  mail: AdminMail,
): Promise<void> {
  return queueMailToRoles(transaction, tenantId, ["OWNER", "ADMIN", "MEMBER", "VIEWER"], mail, {});
}

async function queueMailToRoles(
  transaction: Db,
  tenantId: string,
  roles: Role[],
  mail: AdminMail,
  { unlessMuted, ...options }: Options,
): Promise<void> {
  const tenant = await transaction.tenant.findUniqueOrThrow({
    where: { id: tenantId },
    select: {
      slug: true,
      name: true,
      memberships: {
        where: {
          role: { in: roles },
          suspendedAt: null,
          ...(unlessMuted && { NOT: { user: { mutedNotifications: { has: unlessMuted } } } }),
        },
        select: { userId: true, user: { select: { email: true } } },
      },
    },
  });
  const { slug, name } = tenant;
  await write(
    transaction,
    tenant.memberships.map(({ userId, user }) => ({
      to: user.email,
      mail: { ...mail, tenant: { slug, name } },
      ...options,
      ...(options.name && { name: `${options.name}:${userId}` }),
    })),
  );
}

type Addressed = { to: string; mail: Mail } & Options;

async function write(transaction: Db, mails: Addressed[]): Promise<void> {
  const at = now();
  const rows = mails.map(
    ({ to, mail, name = null, usableUntil = null, tenantId = null, senderId = null }) => {
      const id = newId("mail", at);
      const content = sealSecret(JSON.stringify(writeMail(mail)), mailContext(id));
      return {
        id,
        kind: mail.kind,
        recipient: to,
        content,
        name,
        usableUntil,
        tenantId,
        senderId,
        createdAt: at,
        nextAttemptAt: at,
      };
    },
  );
  await transaction.mail.createMany({ data: rows, skipDuplicates: true });
}

/** Null once it was sent or failed for good. */
export function openMail({ id, content }: Pick<MailModel, "id" | "content">): WrittenMail | null {
  return content === null ? null : JSON.parse(openSecret(content, mailContext(id)));
}

/** The newest hundred mails, for the page that shows them when there is no mail server. */
export async function listReadableMails() {
  const rows = await db().mail.findMany({
    where: { content: { not: null } },
    orderBy: { id: "desc" },
    take: 100,
  });
  return rows.map(toKeptMail);
}

function toKeptMail(row: MailModel) {
  const { id, kind, recipient, createdAt } = row;
  return {
    id,
    kind,
    recipient,
    createdAt,
    ...(openMail(row) ?? { subject: "", text: "", html: "" }),
  };
}
