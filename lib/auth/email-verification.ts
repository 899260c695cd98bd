import { accessMadeBy } from "@/lib/access-review/suspend-access";
import { verifyAddress } from "@/lib/access-review/verify-address";
import { requireDailyMailLimit } from "@/lib/mail/daily-limits";
import { queueMail } from "@/lib/mail/service";
import { type Db, db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/errors";
import { hashToken, newToken } from "@/lib/platform/link-token";
import { now } from "@/lib/platform/time";
import { lockAccount } from "@/lib/resources/lock-row";
import { renewProof, revokeOtherSessions, type SignedInUser } from "@/lib/sessions/service";

const lifetimeMs = 24 * 60 * 60_000;
const resendPauseMs = 60_000;

type Recipient = { id: string; email: string; name: string };

/** Mails the user a link that confirms their address. An earlier link is no longer valid. */
export async function sendEmailVerification(transaction: Db, user: Recipient): Promise<void> {
  const at = now();
  const { token, hash } = newToken();
  const expiresAt = new Date(at.getTime() + lifetimeMs);
  const fields = { tokenHash: hash, sentAt: at, expiresAt };
  await transaction.emailVerification.upsert({
    where: { userId: user.id },
    create: { userId: user.id, ...fields },
    update: fields,
  });
  const url = `${env().APP_URL}/verify/${token}`;
  await queueMail(
    transaction,
    user.email,
    { kind: "verify-email", name: user.name, url, expiresAt },
    { usableUntil: expiresAt, senderId: user.id },
  );
}

/**
 * @throws AppError `conflict` within a minute of the last mail, or if the address is already
 * verified
 */
export async function resendEmailVerification(user: Recipient): Promise<void> {
  await db().$transaction(async (transaction) => {
    await lockAccount({ db: transaction }, { userId: user.id });
    const found = await transaction.user.findUniqueOrThrow({
      where: { id: user.id },
      include: { emailVerification: true },
    });
    if (found.emailVerifiedAt)
      throw new AppError("conflict", "Your email address is already confirmed. Reload the page.");
    const sentAt = found.emailVerification?.sentAt;
    if (sentAt && now().getTime() - sentAt.getTime() < resendPauseMs) {
      throw new AppError(
        "conflict",
        "We emailed you a link less than a minute ago. Wait a moment before you request another one.",
      );
    }
    await requireDailyMailLimit(transaction, {
      kind: "verify-email",
      recipient: user.email,
      senderId: user.id,
    });
    await sendEmailVerification(transaction, user);
  });
}

/** The user whose address the link confirms; null if it is no longer valid. */
export async function findEmailVerification(
  token: string,
): Promise<{ userId: string; email: string } | null> {
  const found = await findValid(db(), token);
  return found && { userId: found.userId, email: found.user.email };
}

const findValid = (transaction: Db, token: string) =>
  transaction.emailVerification.findUnique({
    where: { tokenHash: hashToken(token), expiresAt: { gt: now() } },
    include: { user: { select: { email: true, secondFactorAt: true } } },
  });

/** The access that the user confirms or suspends when they verify their address. */
export const accessBeforeVerification = ({ id }: Pick<SignedInUser, "id">) =>
  accessMadeBy(db(), id);

/**
 * Confirms the address of the user who is signed in. The link alone is not enough: someone else
 * could have signed up with the address of the person who opens it, and would get a verified
 * account out of one click.
 * @param confirmsEverything whether the user confirms everything that was created in the account
 * before; otherwise it is suspended
 * @returns false if the link is no longer valid, or another user's
 */
export async function confirmEmail(
  user: Pick<SignedInUser, "id" | "sessionId">,
  token: string,
  { address, confirmsEverything }: { address: string | null; confirmsEverything: boolean },
): Promise<boolean> {
  return db().$transaction(async (transaction) => {
    const found = await findValid(transaction, token);
    if (found?.userId !== user.id) return false;
    const at = now();
    if (!(await verifyAddress(transaction, user.id, { at, address, confirmsEverything })))
      return false;
    await revokeOtherSessions(transaction, user.id, user.sessionId, at);
    // A user with a second factor must use that one as a proof.
    if (!found.user.secondFactorAt) await renewProof(transaction, user.sessionId, at);
    return true;
  });
}
