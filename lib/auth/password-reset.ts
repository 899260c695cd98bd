import { db } from "@/lib/db";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import { currentTime } from "@/lib/jobs/time";
import { queueMail } from "@/lib/mail/service";
import type { Device } from "@/lib/sessions/service";
import { findUserByEmail } from "@/lib/users/service";
import { setPassword } from "./change-password";
import { hashPassword } from "./password";
import { mayAskForReset } from "./throttle";
import { hashToken, newToken } from "./token";

const lifetimeMs = 60 * 60_000;

const timeNow = () => currentTime() ?? new Date();

/**
 * Notes that somebody asked for a new password. Whether the address is anybody's is looked at later, by a job, so that
 * neither the answer nor the time it takes tells.
 */
export async function requestPasswordReset(email: string, address: string | null): Promise<{ outcome: "noted" | "too-many" }> {
  if (!(await mayAskForReset(email, address))) return { outcome: "too-many" };
  const at = timeNow();
  await db().passwordReset.create({ data: { id: newId("passwordReset", at), email, createdAt: at } });
  return { outcome: "noted" };
}

/**
 * Writes the mails that were asked for; what nobody's address was noted for is struck out.
 * @returns how many it looked at
 */
export async function answerPasswordResets(limit: number): Promise<number> {
  for (let answered = 0; answered < limit; answered++) {
    if (!(await answerNext())) return answered;
  }
  return limit;
}

async function answerNext(): Promise<boolean> {
  return db().$transaction(async (transaction) => {
    const [asked] = await transaction.$queryRaw<{ id: string; email: string }[]>`
      SELECT id, email FROM password_resets WHERE token_hash IS NULL ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
    if (!asked) return false;

    const user = await findUserByEmail(transaction, asked.email);
    if (!user) {
      await transaction.passwordReset.delete({ where: { id: asked.id } });
      return true;
    }
    const { token, hash } = newToken();
    const expiresAt = new Date(timeNow().getTime() + lifetimeMs);
    await transaction.passwordReset.update({ where: { id: asked.id }, data: { userId: user.id, tokenHash: hash, expiresAt } });
    const contents = { name: user.name, url: resetUrl(token), expiresAt };
    await queueMail(transaction, user.email, { kind: "password-reset", ...contents }, { usableUntil: expiresAt });
    return true;
  });
}

/**
 * For operators, who pass the link on themselves.
 * @returns null for an address that nobody has
 */
export async function createPasswordReset(email: string): Promise<{ url: string; expiresAt: Date } | null> {
  const user = await findUserByEmail(db(), email);
  if (!user) return null;
  const { token, hash } = newToken();
  const at = timeNow();
  const expiresAt = new Date(at.getTime() + lifetimeMs);
  await db().passwordReset.create({
    data: { id: newId("passwordReset", at), email, createdAt: at, userId: user.id, tokenHash: hash, expiresAt },
  });
  return { url: resetUrl(token), expiresAt };
}

const resetUrl = (token: string) => `${env().APP_URL}/password/${token}`;

/** Whose password the link sets; null where it opens nothing (any more). */
export async function findPasswordReset(token: string): Promise<{ email: string } | null> {
  const found = await db().passwordReset.findUnique({
    where: { tokenHash: hashToken(token), usedAt: null, expiresAt: { gt: timeNow() } },
    select: { user: { select: { email: true } } },
  });
  return found?.user ?? null;
}

/**
 * Sets the password, ends every session, and signs in. The link opens nothing afterwards, and no other one does that was
 * mailed before.
 * @returns the new session, or null where the link is over
 */
export async function resetPassword(token: string, password: string, device: Device): Promise<{ sessionId: string } | null> {
  // Hashing is work, and nobody gets it done for a link that they made up.
  if (!(await findPasswordReset(token))) return null;
  const passwordHash = await hashPassword(password);
  return db().$transaction(async (transaction) => {
    const at = timeNow();
    const where = { tokenHash: hashToken(token), usedAt: null, expiresAt: { gt: at } };
    // Of two at once, the second waits here and then finds it used.
    const { count } = await transaction.passwordReset.updateMany({ where, data: { usedAt: at } });
    if (count === 0) return null;

    const { userId } = await transaction.passwordReset.findUniqueOrThrow({ where: { tokenHash: hashToken(token) } });
    if (!userId) return null;
    // The link went to the address, or to an operator who knows whom they give it to.
    await transaction.user.updateMany({ where: { id: userId, emailVerifiedAt: null }, data: { emailVerifiedAt: at } });
    const sessionId = await setPassword(transaction, userId, { passwordHash, device, method: "PASSWORD", action: "user.password_reset" });
    return { sessionId };
  });
}
