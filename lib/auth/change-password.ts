import { queueMail } from "@/lib/mail/service";
import { type Db, db } from "@/lib/platform/db";
import { lockAccount } from "@/lib/resources/lock-row";
import { deviceName } from "@/lib/sessions/device-name";
import {
  type Device,
  findProof,
  revokeSessions,
  type SignedInUser,
  startSession,
} from "@/lib/sessions/service";
import { hasRecentProof } from "@/lib/step-up/proof";
import { recordAuditOfUser } from "@/lib/users/service";
import type { UserModel } from "@/prisma/generated/models";
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
  }
  const passwordHash = await hashPassword(password);
  return db().$transaction(async (transaction) => {
    // A session that ended while the password was checked must not start another one.
    await lockAccount({ db: transaction }, { userId: user.id });
    if (!(await findProof(transaction, user.sessionId))) return { outcome: "proof-needed" };
    const method = user.hasPassword ? "PASSWORD" : user.method;
    await setPassword(transaction, user.id, {
      passwordHash,
      device,
      action: "user.password_changed",
    });
    const session = await startSession(transaction, user.id, device, { method });
    return { outcome: "changed", sessionId: session.id };
  });
}

/**
 * In one transaction: sets the password, ends all sessions, invalidates other password links,
 * writes an entry in the audit log of each of the user's organizations, and mails the user.
 */
export async function setPassword(
  transaction: Db,
  userId: string,
  how: {
    passwordHash: string;
    device: Device;
    action: "user.password_changed" | "user.password_reset";
  },
): Promise<UserModel> {
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
  return user;
}
