import { z } from "zod";
import { queueMail } from "@/lib/mail/service";
import { type Db, db } from "@/lib/platform/db";
import { text } from "@/lib/platform/schema";
import { now } from "@/lib/platform/time";
import { consumeAuthenticatorCode } from "@/lib/second-factor/authenticator-app";
import {
  consumePasskey,
  isKnownPasskey,
  maximumPasskeyId,
  type PasskeyChallenge,
} from "@/lib/second-factor/passkeys";
import { consumeRecoveryCode, countRecoveryCodes } from "@/lib/second-factor/recovery-codes";
import { deviceName } from "@/lib/sessions/device-name";
import { type Device, renewProof, type SignedInUser, startSession } from "@/lib/sessions/service";
import { recordAuditOfUser } from "@/lib/users/service";
import type { SignInMethod } from "@/prisma/generated/enums";
import type { UserModel } from "@/prisma/generated/models";
import { hasSignedInWith } from "./known-device";
import { linkProviderAccount } from "./link-provider-account";
import { isStillPending, openPendingSignIn, type PendingSignIn } from "./pending-sign-in";
import { recordRefusedAttempt } from "./refused-attempts";
import { announceSignIn, isUnchanged, recordSignIn } from "./service";
import { type Throttled, throttleCodes, throttlePasskey } from "./throttle";

type SignedIn = { outcome: "signed-in"; sessionId: string };
/** Longer than any code, with any separators. */
const codeInput = text(64);
const responseInput = z.looseObject({ id: text(maximumPasskeyId) });

/** The user whose sign-in waits for a code, or null. */
export async function findPendingSignIn(sealed: string | undefined) {
  const pending = await openPendingSignIn(sealed);
  if (!pending) return null;
  const user = await db().user.findUnique({ where: { id: pending.userId } });
  return user?.secondFactorAt && isStillPending(pending, user) ? { user, pending } : null;
}

/**
 * Starts the session of a user whose sign-in waits for a code from their authenticator app, or a
 * recovery code.
 * @returns `over` if nothing waits: it took too long, or the password changed
 */
export async function finishSignIn(
  sealed: string | undefined,
  sent: unknown,
  device: Device,
): Promise<Throttled | SignedIn | { outcome: "failed" | "over" }> {
  const found = await findPendingSignIn(sealed);
  if (!found) return { outcome: "over" };
  const { user, pending } = found;
  const code = codeInput.safeParse(sent);
  // A thief of the password could have signed in with many browsers before the account had a second
  // factor. They share the count of strangers.
  const source = hasSignedInWith(device.known, user) ? device : { ...device, known: null };
  const checked = await throttleCodes(user, source, () =>
    db().$transaction(async (transaction) => {
      if (!(await isUnchanged(transaction, user))) return null;
      const factor = code.success ? await consumeCode(transaction, user, code.data, device) : null;
      if (!factor) return null;
      await linkAfterSecondStep(transaction, user, pending, device);
      return start(transaction, user, { method: pending.method, device, factor });
    }),
  );
  if (checked.outcome === "succeeded")
    return { outcome: "signed-in", sessionId: checked.result.id };
  recordRefusedAttempt({
    what: "second factor",
    outcome: checked.outcome,
    email: user.email,
    source: device,
  });
  return checked;
}

/**
 * A passkey replaces the password and the second factor: it asks for a fingerprint or PIN.
 * @param sealed a sign-in that waits for a second step in this browser
 */
export async function signInWithPasskey(
  sent: unknown,
  challenge: PasskeyChallenge | null,
  device: Device,
  sealed?: string,
): Promise<Throttled | SignedIn | { outcome: "failed" }> {
  const response = responseInput.safeParse(sent);
  const id = response.data?.id ?? null;
  const knownId = id !== null && (await isKnownPasskey(id)) ? id : null;
  const pending = await openPendingSignIn(sealed);
  const checked = await throttlePasskey(knownId, device, () =>
    db().$transaction(async (transaction) => {
      if (!response.success || knownId === null) return null;
      const how = { purpose: "sign-in", device } as const;
      const user = await consumePasskey(transaction, response.data, challenge, how);
      if (!user) return null;
      if (pending?.userId === user.id && isStillPending(pending, user))
        await linkAfterSecondStep(transaction, user, pending, device);
      return start(transaction, user, { method: "PASSKEY", device, factor: "passkey" });
    }),
  );
  if (checked.outcome === "succeeded")
    return { outcome: "signed-in", sessionId: checked.result.id };
  recordRefusedAttempt({
    what: "second factor",
    outcome: checked.outcome,
    email: null,
    source: device,
  });
  return checked;
}

/**
 * A fresh proof of a signed-in user with a second factor. The password is not enough for them,
 * because a thief of the session may know it.
 */
export async function confirmCode(
  user: Pick<SignedInUser, "id" | "email" | "name" | "sessionId">,
  sent: unknown,
  device: Device,
): Promise<Throttled | { outcome: "failed" | "confirmed" }> {
  const code = codeInput.safeParse(sent);
  return confirm(user, device, (transaction) =>
    code.success ? consumeCode(transaction, user, code.data, device) : Promise.resolve(null),
  );
}

export async function confirmPasskey(
  user: Pick<SignedInUser, "id" | "email" | "sessionId">,
  sent: unknown,
  challenge: PasskeyChallenge | null,
  device: Device,
): Promise<Throttled | { outcome: "failed" | "confirmed" }> {
  const response = responseInput.safeParse(sent);
  const how = { purpose: "confirm", sessionId: user.sessionId, device } as const;
  return confirm(user, device, async (transaction) => {
    const owner = response.success
      ? await consumePasskey(transaction, response.data, challenge, how)
      : null;
    return owner?.id === user.id ? owner : null;
  });
}

async function confirm(
  user: Pick<SignedInUser, "id" | "email" | "sessionId">,
  device: Device,
  use: (transaction: Db) => Promise<unknown>,
): Promise<Throttled | { outcome: "failed" | "confirmed" }> {
  const source = { ...device, sessionId: user.sessionId };
  const checked = await throttleCodes(user, source, () =>
    db().$transaction(async (transaction) => {
      const used = await use(transaction);
      if (used) await renewProof(transaction, user.sessionId);
      return used;
    }),
  );
  if (checked.outcome === "succeeded") return { outcome: "confirmed" };
  recordRefusedAttempt({
    what: "confirmation",
    outcome: checked.outcome,
    email: user.email,
    source,
  });
  return checked;
}

/** Links the provider account that the first step was made with, if it is not linked yet. */
async function linkAfterSecondStep(
  transaction: Db,
  user: UserModel,
  { toLink }: PendingSignIn,
  device: Device,
): Promise<void> {
  if (toLink) await linkProviderAccount(transaction, user, toLink, device);
}

type Started = { method: SignInMethod; device: Device; factor: string };

async function start(transaction: Db, user: UserModel, { method, device, factor }: Started) {
  const session = await startSession(transaction, user.id, device, { method });
  await recordSignIn(transaction, session, device, factor);
  await announceSignIn(transaction, user, session, device);
  return session;
}

/**
 * Uses up a code from the user's authenticator app, or a recovery code.
 * @returns the name of the factor; null for a wrong code
 */
async function consumeCode(
  transaction: Db,
  user: Pick<UserModel, "id" | "email" | "name">,
  code: string,
  device: Device,
): Promise<string | null> {
  const at = now();
  if (await consumeAuthenticatorCode(transaction, user.id, code, at)) return "authenticator app";
  if (!(await consumeRecoveryCode(transaction, user.id, code))) return null;
  const remaining = await countRecoveryCodes(transaction, user.id);
  const { address, userAgent } = device;
  await recordAuditOfUser(transaction, user.id, address, {
    action: "user.recovery_code_used",
    changes: { after: { remaining } },
  });
  await queueMail(transaction, user.email, {
    kind: "recovery-code-used",
    ...{ name: user.name, remaining, device: deviceName(userAgent), address, at },
  });
  return "recovery code";
}
