import { type Db, db, isUniqueViolation } from "@/lib/db";
import { acceptAsNewUser } from "@/lib/invitations/service";
import { type Device, renewProof, revokeSessions, type SignedInUser, startSession } from "@/lib/sessions/service";
import { createAccount, findUserByEmail, recordAuditOfUser } from "@/lib/users/service";
import type { SessionModel } from "@/prisma/generated/models";
import { hashPassword, verifyPassword } from "./password";
import { type SignUp, signInInput } from "./schema";
import { type AttemptSource, mayMakeAccount, type Throttled, throttleFailures } from "./throttle";

export type SignInResult = Throttled | { outcome: "failed" } | { outcome: "signed-in"; sessionId: string };

/**
 * Checks e-mail and password and starts a session. An unknown address, one without a password and a wrong password are
 * one answer after one amount of work.
 */
export async function signIn(credentials: unknown, device: Device): Promise<SignInResult> {
  const checked = await checkPassword(credentials, device);
  if (checked.outcome !== "succeeded") return checked;

  return db().$transaction(async (transaction) => {
    const session = await startSession(transaction, checked.result.id, device);
    await recordSignIn(transaction, session, device);
    return { outcome: "signed-in", sessionId: session.id };
  });
}

/** In the audit log of each organisation of theirs, so that owners see who comes, from where and by which way. */
export function recordSignIn(transaction: Db, { userId, method }: Pick<SessionModel, "userId" | "method">, { address }: Device) {
  return recordAuditOfUser(transaction, userId, address, { action: "user.signed_in", changes: { after: { method } } });
}

/**
 * Whose password it is. A wrong one is counted for the account and its source; what no account can have, such as a
 * megabyte of text, is read no further and counted for the network.
 */
export function checkPassword(credentials: unknown, source: AttemptSource) {
  const input = signInInput.safeParse(credentials);
  return throttleFailures(input.data?.email ?? null, source, async () => {
    if (!input.success) return null;
    const { email, password } = input.data;
    const user = await findUserByEmail(db(), email);
    const isRight = await verifyPassword(user?.passwordHash ?? null, password);
    return isRight ? user : null;
  });
}

/**
 * The password once more, from someone who is signed in. Guesses are counted for the session, so no stranger can use up
 * its owner's, and a stolen session has as few as a sign-in.
 */
export async function confirmPassword(
  user: Pick<SignedInUser, "email" | "sessionId">,
  sent: unknown,
  device: Device,
): Promise<Throttled | { outcome: "failed" | "confirmed" }> {
  const checked = await checkPassword({ email: user.email, password: sent }, { ...device, sessionId: user.sessionId });
  if (checked.outcome !== "succeeded") return checked;

  await renewProof(db(), user.sessionId);
  return { outcome: "confirmed" };
}

export type SignUpResult =
  | { outcome: "signed-in"; sessionId: string; tenantSlug: string }
  | { outcome: "email-taken" }
  | { outcome: "too-many" };

/** Makes the tenant, its owner and the owner's first session, all or none of them. */
export async function signUp(input: SignUp, device: Device): Promise<SignUpResult> {
  if (!(await mayMakeAccount(device.address))) return { outcome: "too-many" };
  if (await findUserByEmail(db(), input.email)) return { outcome: "email-taken" };

  const passwordHash = await hashPassword(input.password);
  try {
    return await db().$transaction(async (transaction) => {
      const { user, tenant } = await createAccount(transaction, { ...input, passwordHash, address: device.address });
      const session = await startSession(transaction, user.id, device);
      return { outcome: "signed-in", sessionId: session.id, tenantSlug: tenant.slug };
    });
  } catch (error) {
    // Someone else took the address while the password was hashed.
    if (isUniqueViolation(error)) return { outcome: "email-taken" };
    throw error;
  }
}

/**
 * For somebody who was invited and has no account yet.
 * @throws AppError `not-found` where the link opens nothing
 */
export async function signUpByInvitation(
  token: string,
  { name, password }: { name: string; password: string },
  device: Device,
): Promise<SignUpResult> {
  if (!(await mayMakeAccount(device.address))) return { outcome: "too-many" };
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
export async function signOut(user: Pick<SignedInUser, "id">): Promise<void> {
  await revokeSessions(db(), user.id);
}
