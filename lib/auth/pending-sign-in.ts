import { decode, encode } from "next-auth/jwt";
import { now } from "@/lib/platform/time";
import type { Provider, SignInMethod } from "@/prisma/generated/enums";
import type { UserModel } from "@/prisma/generated/models";
import { authSecret } from "./auth-secret";
import { fingerprint } from "./known-device";

/** An account at a provider, and the user's verified address there. */
export type ProviderLink = { provider: Provider; accountId: string; email: string };

/**
 * A user who gave the right password, or came from a provider, and still needs a code. Stored only
 * in the browser's encrypted cookie. It starts no session by itself.
 */
export type PendingSignIn = {
  userId: string;
  method: SignInMethod;
  /** Of the password at that time. A new password or address ends what is pending. */
  password: string;
  email: string;
  /** In milliseconds. */
  at: number;
  /** A provider account that is linked to the user after the second step. */
  toLink?: ProviderLink;
};

export const pendingSignInSeconds = 10 * 60;
/** Keeps these tokens apart from those of sessions, which are sealed with the same secret. */
const salt = "pending-sign-in";

export function sealPendingSignIn(
  { id, passwordHash, email }: Pick<UserModel, "id" | "passwordHash" | "email">,
  method: SignInMethod,
  toLink?: ProviderLink,
): Promise<string> {
  const pending: PendingSignIn = {
    userId: id,
    method,
    password: fingerprint(passwordHash),
    email,
    at: now().getTime(),
    ...(toLink && { toLink }),
  };
  return encode({
    token: { ...pending },
    secret: authSecret(),
    salt,
    maxAge: pendingSignInSeconds,
  });
}

/** Null for a cookie that was altered, is too old, or was sealed with another secret. */
export async function openPendingSignIn(sealed: string | undefined): Promise<PendingSignIn | null> {
  if (!sealed) return null;
  try {
    const pending = (await decode({ token: sealed, secret: authSecret(), salt })) as
      | (PendingSignIn & object)
      | null;
    const isFresh = pending && now().getTime() - pending.at <= pendingSignInSeconds * 1000;
    return isFresh ? pending : null;
  } catch {
    return null;
  }
}

/** Whether the account still has the password and address of when the pending sign-in was made. */
export const isStillPending = (
  pending: PendingSignIn,
  { passwordHash, email }: Pick<UserModel, "passwordHash" | "email">,
) => pending.password === fingerprint(passwordHash) && pending.email === email;
