import { queueMail } from "@/lib/mail/service";
import { type Db, db } from "@/lib/platform/db";
import { deviceName } from "@/lib/sessions/device-name";
import {
  type Device,
  revokeSessions,
  type SignedInUser,
  startSession,
} from "@/lib/sessions/service";
import { hasRecentProof } from "@/lib/step-up/proof";
import { recordAuditOfUser } from "@/lib/users/service";
import type { SignInMethod } from "@/prisma/generated/enums";
import { hashPassword } from "./password";
import { checkPassword } from "./service";
import type { Throttled } from "./throttle";

type Changed = { outcome: "changed"; sessionId: string };

/**
 * Ends every session of the user and starts a new one for the requesting browser. A user without a
 * password must have signed in with their provider recently, instead of giving the current
 * password, and one with a second factor must have used it recently.
 */
export async function changePassword(
  user: Pick<
    SignedInUser,
    "id" | "sessionId" | "email" | "hasPassword" | "hasSecondFactor" | "provedAt" | "method"
  >,
  { current, password }: { current: string; password: string },
  device: Device,
): Promise<Throttled | { outcome: "failed" | "proof-needed" } | Changed> {
  if ((user.hasSecondFactor || !user.hasPassword) && !hasRecentProof(user.provedAt))
    return { outcome: "proof-needed" };
  if (user.hasPassword) {
    const checked = await checkPassword(
      { email: user.email, password: current },
      { ...device, sessionId: user.sessionId },
    );
    if (checked.outcome !== "succeeded") return checked;
  } else if (!hasRecentProof(user.provedAt)) {
    return { outcome: "proof-needed" };
  }
  const passwordHash = await hashPassword(password);
  return db().$transaction(async (transaction) => {
    const method = user.hasPassword ? "PASSWORD" : user.method;
    const sessionId = await setPassword(transaction, user.id, {
      passwordHash,
      device,
      method,
      action: "user.password_changed",
    });
    return { outcome: "changed", sessionId };
  });
}

/**
 * In one transaction: sets the password, ends all sessions, invalidates other password links,
 * writes an entry in the audit log of each of the user's organizations, mails the user, and starts
 * a new session.
 * @returns the new session
 */
export async function setPassword(
  transaction: Db,
  userId: string,
  how: {
    passwordHash: string;
    device: Device;
    method: SignInMethod;
    action: "user.password_changed" | "user.password_reset";
  },
): Promise<string> {
  const now = new Date();
  const user = await transaction.user.update({
    where: { id: userId },
    data: { passwordHash: how.passwordHash },
  });
  await transaction.passwordReset.updateMany({
    where: { userId, usedAt: null },
    data: { usedAt: now },
  });
  await revokeSessions(transaction, userId, now);
  await recordAuditOfUser(transaction, userId, how.device.address, {
    action: how.action,
    changes: {},
  });
  const origin = { device: deviceName(how.device.userAgent), address: how.device.address, at: now };
  await queueMail(transaction, user.email, {
    kind: "password-changed",
    name: user.name,
    ...origin,
  });
  const session = await startSession(transaction, userId, how.device, { method: how.method });
  return session.id;
}
