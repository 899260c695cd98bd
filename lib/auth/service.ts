import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMail } from "@/lib/mail/service";
import { acceptAsNewUser } from "@/lib/members/accept-invitation";
import type { Caller } from "@/lib/platform/caller";
import { type Db, db } from "@/lib/platform/db";
import { isUniqueViolation } from "@/lib/platform/sql-errors";
import { lockAccount } from "@/lib/resources/lock-row";
import { deviceName } from "@/lib/sessions/device-name";
import {
  type Device,
  renewProof,
  revokeSession,
  revokeSessions,
  type SignedInUser,
  startSession,
} from "@/lib/sessions/service";
import { type SignUp, signInInput } from "@/lib/users/schema";
import {
  AddressReserved,
  createAccount,
  findUserByEmail,
  recordAuditOfUser,
} from "@/lib/users/service";
import type { SessionModel, UserModel } from "@/prisma/generated/models";
import { sendEmailVerification } from "./email-verification";
import { hasSignedInWith } from "./known-device";
import { hashPassword, verifyPassword } from "./password";
import { sealPendingSignIn } from "./pending-sign-in";
import { recordRefusedAttempt } from "./refused-attempts";
import { type AttemptSource, mayCreateAccount, type Throttled, throttleFailures } from "./throttle";

export type SignInResult =
  | Throttled
  | { outcome: "failed" }
  /** The password is right, and a code is needed. `pending` goes into the browser's cookie. */
  | { outcome: "second-step"; pending: string }
  | { outcome: "signed-in"; sessionId: string };

/**
 * Checks email and password and starts a session. An unknown address, an account without a password
 * and a wrong password give the same result after the same amount of work.
 */
export async function signIn(credentials: unknown, device: Device): Promise<SignInResult> {
  const checked = await checkPassword(credentials, device);
  if (checked.outcome !== "succeeded") return checked;
  if (checked.result.secondFactorAt)
    return {
      outcome: "second-step",
      pending: await sealPendingSignIn(checked.result, "PASSWORD"),
    };

  return db().$transaction(async (transaction) => {
    if (!(await isUnchanged(transaction, checked.result))) return { outcome: "failed" };
    const session = await startSession(transaction, checked.result.id, device);
    await recordSignIn(transaction, session, device);
    await announceSignIn(transaction, checked.result, session, device);
    return { outcome: "signed-in", sessionId: session.id };
  });
}

/**
 * Locks the user until the transaction ends. A new password, a new or confirmed address and a first
 * second factor end sessions, so they must not miss one that was allowed before and starts after
 * them.
 * @param user as they were when the sign-in was allowed
 */
export async function isUnchanged(transaction: Db, user: UserModel): Promise<boolean> {
  await lockAccount({ db: transaction }, { userId: user.id });
  const found = await transaction.user.findUnique({ where: { id: user.id } });
  return (
    found?.passwordHash === user.passwordHash &&
    found.email === user.email &&
    found.emailVerifiedAt?.getTime() === user.emailVerifiedAt?.getTime() &&
    found.secondFactorAt?.getTime() === user.secondFactorAt?.getTime()
  );
}

/**
 * Records a sign-in in the audit log of each of the user's organizations, so that owners see who
 * signed in, from where and how.
 */
export function recordSignIn(
  transaction: Db,
  { userId, method }: Pick<SessionModel, "userId" | "method">,
  { address }: Device,
  secondFactor?: string,
) {
  return recordAuditOfUser(transaction, userId, address, {
    action: "user.signed_in",
    changes: { after: { method, ...(secondFactor && { secondFactor }) } },
  });
}

/**
 * Mails the user if this browser has not signed in to their account before, or not since their last
 * password change.
 */
export async function announceSignIn(
  transaction: Db,
  user: UserModel,
  { method, createdAt }: SessionModel,
  device: Device,
): Promise<void> {
  if (hasSignedInWith(device.known, user)) return;
  const origin = { device: deviceName(device.userAgent), address: device.address, at: createdAt };
  await queueMail(transaction, user.email, {
    kind: "new-sign-in",
    name: user.name,
    method,
    ...origin,
  });
}

/**
 * Returns the user whose password it is. A wrong password counts against the account and the
 * source. Input that no account can have, such as a megabyte of text, is not processed and counts
 * against the network.
 */
export async function checkPassword(credentials: unknown, source: AttemptSource) {
  const input = signInInput.safeParse(credentials);
  const checked = await throttleFailures(input.data?.email ?? null, source, async () => {
    if (!input.success) return null;
    const { email, password } = input.data;
    const user = await findUserByEmail(db(), email);
    const isRight = await verifyPassword(user?.passwordHash ?? null, password);
    return isRight ? user : null;
  });
  if (checked.outcome !== "succeeded") {
    const what = source.sessionId ? "confirmation" : "sign-in";
    recordRefusedAttempt({
      what,
      outcome: checked.outcome,
      email: namedAddress(credentials),
      source,
    });
  }
  return checked;
}

/** Also works for invalid credentials, so that the account's owners see the attempt. */
const namedAddress = (credentials: unknown) =>
  signInInput.pick({ email: true }).safeParse(credentials).data?.email ?? null;

/**
 * Checks the password of a signed-in user again, if they have no second factor. Guesses count
 * against the session, so strangers cannot use up the owner's attempts, and a stolen session gets as
 * few as a sign-in.
 */
export async function confirmPassword(
  user: Pick<SignedInUser, "email" | "sessionId">,
  sent: unknown,
  device: Device,
): Promise<Throttled | { outcome: "failed" | "code-needed" | "confirmed" }> {
  const checked = await checkPassword(
    { email: user.email, password: sent },
    { ...device, sessionId: user.sessionId },
  );
  if (checked.outcome !== "succeeded") return checked;
  if (checked.result.secondFactorAt) return { outcome: "code-needed" };

  await renewProof(db(), user.sessionId);
  return { outcome: "confirmed" };
}

export type SignUpResult =
  | { outcome: "signed-in"; sessionId: string; tenantSlug: string }
  | { outcome: "email-taken" }
  | { outcome: "too-many" };

function tooManyAccounts(device: Device): SignUpResult {
  recordRefusedAttempt({ what: "sign-up", outcome: "throttled", email: null, source: device });
  return { outcome: "too-many" };
}

/** Creates the tenant, its owner and the owner's first session in one transaction. */
export async function signUp(input: SignUp, device: Device): Promise<SignUpResult> {
  if (!(await mayCreateAccount(device.address))) return tooManyAccounts(device);
  if (await findUserByEmail(db(), input.email)) return { outcome: "email-taken" };

  const passwordHash = await hashPassword(input.password);
  try {
    return await db().$transaction(async (transaction) => {
      const { user, tenant } = await createAccount(transaction, {
        ...input,
        passwordHash,
        address: device.address,
      });
      if (mailTransport() === "smtp") await sendEmailVerification(transaction, user);
      const session = await startSession(transaction, user.id, device);
      return { outcome: "signed-in", sessionId: session.id, tenantSlug: tenant.slug };
    });
  } catch (error) {
    // Someone else took the address while the password was hashed, or it is reserved for them.
    if (isUniqueViolation(error) || error instanceof AddressReserved)
      return { outcome: "email-taken" };
    throw error;
  }
}

/**
 * For an invited user who has no account yet.
 * @throws AppError `not-found` if the link is not valid, `conflict` if the address is reserved
 */
export async function signUpByInvitation(
  token: string,
  { name, password }: { name: string; password: string },
  device: Device,
): Promise<SignUpResult> {
  if (!(await mayCreateAccount(device.address))) return tooManyAccounts(device);
  const passwordHash = await hashPassword(password);
  try {
    return await db().$transaction(async (transaction) => {
      const person = { name, passwordHash, address: device.address };
      const { tenantSlug, userId } = await acceptAsNewUser(transaction, token, person);
      const session = await startSession(transaction, userId, device);
      return { outcome: "signed-in", sessionId: session.id, tenantSlug };
    });
  } catch (error) {
    if (isUniqueViolation(error)) return { outcome: "email-taken" };
    throw error;
  }
}

/** Signing out ends every session of the user, on every device. */
export async function signOut(user: Pick<SignedInUser, "id">, { address }: Device): Promise<void> {
  await db().$transaction(async (transaction) => {
    const { count } = await revokeSessions(transaction, user.id);
    await recordAuditOfUser(transaction, user.id, address, {
      action: "user.signed_out",
      changes: { before: { sessions: count } },
    });
  });
}

/** Ends one session of the caller. Another user's session is treated as missing. */
export async function endSession({ db, actor, address }: Caller, sessionId: string): Promise<void> {
  const ended = await revokeSession(db, actor.id, sessionId);
  if (!ended) return;
  const before = { sessionId, device: deviceName(ended.userAgent), address: ended.address };
  await recordAuditOfUser(db, actor.id, address, {
    action: "user.session_revoked",
    changes: { before },
  });
}
