import { verifyAddress } from "@/lib/access-review/verify-address";
import { queueMail } from "@/lib/mail/service";
import { type Db, db, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { hashToken, newToken } from "@/lib/platform/link-token";
import { sql } from "@/lib/platform/sql";
import { now } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { lockAccount } from "@/lib/resources/lock-row";
import { dropSecondFactor, lostToOwner } from "@/lib/second-factor/service";
import { type Device, startSession } from "@/lib/sessions/service";
import { findUserByEmail } from "@/lib/users/service";
import { setPassword } from "./change-password";
import { hashPassword } from "./password";
import { sealPendingSignIn } from "./pending-sign-in";
import { recordRefusedAttempt } from "./refused-attempts";
import type { SignInResult } from "./service";
import { mayRequestPasswordReset } from "./throttle";

const lifetimeMs = 60 * 60_000;

/**
 * Records a request for a new password. A job checks later whether the address has an account, so
 * neither the response nor its timing reveals it.
 */
export async function requestPasswordReset(
  email: string,
  device: Device,
): Promise<{ outcome: "noted" | "too-many" }> {
  if (!(await mayRequestPasswordReset(email, device))) {
    recordRefusedAttempt({ what: "password reset", outcome: "throttled", email, source: device });
    return { outcome: "too-many" };
  }
  const at = now();
  await db().passwordReset.create({
    data: { id: newId("passwordReset", at), email, createdAt: at },
  });
  return { outcome: "noted" };
}

/**
 * Queues the requested mails. Requests for unknown addresses, and requests past the limit, are
 * deleted.
 * @returns how many requests it processed
 */
export async function sendPasswordResets(limit: number): Promise<number> {
  for (let processed = 0; processed < limit; processed++) {
    if (!(await processNext())) return processed;
  }
  return limit;
}

const claimResetStatement = sql(
  "claim_password_reset",
  {},
  () => `
      SELECT id, email FROM password_resets WHERE token_hash IS NULL ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

async function processNext(): Promise<boolean> {
  return db().$transaction(async (transaction) => {
    const [asked] = await runSql<{ id: string; email: string }>(claimResetStatement({}), {
      db: transaction,
    });
    if (!asked) return false;

    // Several workers may process requests for one user. The lock makes each see the others' mails.
    await lockAccount({ db: transaction }, { email: asked.email });
    const user = await findUserByEmail(transaction, asked.email);
    const at = now();
    if (!user || (await hasUsableLink(transaction, user, at))) {
      await transaction.passwordReset.delete({ where: { id: asked.id } });
      return true;
    }
    const { token, hash } = newToken();
    const expiresAt = new Date(at.getTime() + lifetimeMs);
    await transaction.passwordReset.update({
      where: { id: asked.id },
      data: { userId: user.id, tokenHash: hash, expiresAt },
    });
    const contents = { name: user.name, url: resetUrl(token), expiresAt };
    await queueMail(
      transaction,
      user.email,
      { kind: "password-reset", ...contents },
      { usableUntil: expiresAt },
    );
    return true;
  });
}

/**
 * For operators, who pass on the link themselves.
 * @returns null for an unknown address
 */
export async function createPasswordReset(
  email: string,
): Promise<{ url: string; expiresAt: Date } | null> {
  const user = await findUserByEmail(db(), email);
  if (!user) return null;
  const { token, hash } = newToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + lifetimeMs);
  await db().passwordReset.create({
    data: {
      id: newId("passwordReset", at),
      email,
      createdAt: at,
      userId: user.id,
      tokenHash: hash,
      expiresAt,
    },
  });
  return { url: resetUrl(token), expiresAt };
}

const resetUrl = (token: string) => `${env().APP_URL}/password/${token}`;

/**
 * Mails per day that are sent immediately, no matter who requests them. After that, the next one is
 * sent once half of the previous link's hour has passed.
 */
export const immediateMails = 3;
const dayMs = 24 * 60 * 60_000;

/**
 * Strangers' requests can neither flood a mailbox nor keep its owner from setting a new password:
 * whenever a request is not mailed, an earlier link in the mailbox stays valid for at least another
 * half hour. A link that an operator created is not in the mailbox and does not count.
 */
async function hasUsableLink(
  transaction: Db,
  { id: userId, email }: { id: string; email: string },
  at: Date,
): Promise<boolean> {
  const mails = await transaction.mail.findMany({
    where: {
      recipient: email,
      kind: "password-reset",
      createdAt: { gt: new Date(at.getTime() - dayMs) },
      status: { not: "FAILED" },
    },
    orderBy: { createdAt: "desc" },
    take: immediateMails,
    select: { usableUntil: true },
  });
  const expiresAt = mails[0]?.usableUntil;
  if (
    mails.length < immediateMails ||
    !expiresAt ||
    expiresAt.getTime() - at.getTime() <= lifetimeMs / 2
  )
    return false;
  return (
    (await transaction.passwordReset.count({ where: { userId, usedAt: null, expiresAt } })) > 0
  );
}

/** Whose password the link sets; null if the link is invalid or no longer valid. */
export async function findPasswordReset(
  token: string,
): Promise<{ id: string; email: string } | null> {
  const found = await db().passwordReset.findUnique({
    where: { tokenHash: hashToken(token), usedAt: null, expiresAt: { gt: now() } },
    select: { user: { select: { id: true, email: true } } },
  });
  return found?.user ?? null;
}

/**
 * Sets the password, ends every session, and signs in. A user with a second factor needs it here
 * too: someone who can read their mail has only one of the two. Afterwards, this link and all
 * earlier ones are no longer valid.
 * @returns null if the link is no longer valid
 */
export async function resetPassword(
  token: string,
  password: string,
  device: Device,
): Promise<Extract<SignInResult, { outcome: "signed-in" | "second-step" }> | null> {
  // Hashing is expensive, so an invalid link must not trigger it.
  const holder = await findPasswordReset(token);
  if (!holder) return null;
  const userId = holder.id;
  const passwordHash = await hashPassword(password);
  return db().$transaction(async (transaction) => {
    // Before the link, as everything does that ends a user's links. Of two concurrent requests, the
    // second waits here, and then finds that the link was used.
    await lockAccount({ db: transaction }, { userId });
    const at = now();
    const where = { tokenHash: hashToken(token), userId, usedAt: null, expiresAt: { gt: at } };
    const { count } = await transaction.passwordReset.updateMany({ where, data: { usedAt: at } });
    if (count === 0) return null;

    // The link went to the address, or to an operator who knows the user.
    if (await verifyAddress(transaction, userId, { at, address: device.address }))
      await dropSecondFactor(transaction, userId, { device, at, change: lostToOwner });
    const user = await setPassword(transaction, userId, {
      passwordHash,
      device,
      action: "user.password_reset",
    });
    if (user.secondFactorAt)
      return { outcome: "second-step", pending: await sealPendingSignIn(user, "PASSWORD") };
    const session = await startSession(transaction, userId, device);
    return { outcome: "signed-in", sessionId: session.id };
  });
}
