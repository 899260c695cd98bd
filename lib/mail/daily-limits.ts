import type { Db } from "@/lib/platform/db";
import { limitReached } from "@/lib/platform/errors";
import { now } from "@/lib/platform/time";
import { lockName } from "@/lib/resources/lock-row";
import type { MailKind } from "./mail-kinds";

/**
 * The limits of mails of one kind that users can cause within 24 hours: to one address, from one
 * organization and from one user.
 */
export const dailyMailLimits = { recipient: 5, tenant: 100, sender: 50 };

const dayMs = 24 * 60 * 60_000;

type Cause = { kind: MailKind; recipient: string; tenantId?: string; senderId: string };

/**
 * Counts the mails themselves, which are stored longer than what they are about. Revoking an
 * invitation and sending a new one therefore does not get around the limit. Call it in the
 * transaction that queues the mail, before queuing.
 * @throws AppError `limit-reached`
 */
export async function requireDailyMailLimit(
  transaction: Db,
  { kind, recipient, tenantId, senderId }: Cause,
): Promise<void> {
  // Concurrent requests in different organizations must not both get the last free slot.
  await lockName({ db: transaction }, `mail-sender:${senderId}`);
  await lockName({ db: transaction }, `mail-recipient:${recipient}`);
  const createdAt = { gt: new Date(now().getTime() - dayMs) };
  const requireRoom = async (
    where: { recipient: string } | { tenantId: string } | { senderId: string },
    limit: number,
    detail: string,
  ) => {
    const current = await transaction.mail.count({ where: { ...where, kind, createdAt } });
    if (current >= limit) throw limitReached(`${detail} Try again tomorrow.`, { limit, current });
  };
  const { recipient: toOne, tenant: fromTenant, sender: fromSender } = dailyMailLimits;
  await requireRoom(
    { recipient },
    toOne,
    `${recipient} cannot be mailed again yet. An address gets at most ${toOne} of these mails in 24 hours.`,
  );
  if (tenantId)
    await requireRoom(
      { tenantId },
      fromTenant,
      `Your organization has sent ${fromTenant} of these mails in the last 24 hours.`,
    );
  await requireRoom(
    { senderId },
    fromSender,
    `You have sent ${fromSender} of these mails in the last 24 hours.`,
  );
}
