import { createHash, randomBytes } from "node:crypto";
import { decode, encode } from "next-auth/jwt";
import type { KnownDevice } from "@/lib/sessions/service";
import { authSecret } from "./auth-secret";

// The cookie does not sign anyone in. A stolen one only gets its own count of failed attempts.

export const knownDeviceLifetimeSeconds = 180 * 24 * 60 * 60;
/** More users than this rarely share a browser. The earliest are forgotten. */
const maximumAccounts = 5;
/** Keeps these tokens apart from those of sessions, which are sealed with the same secret. */
const salt = "known-device";

const digest = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Represents an account in cookies and in the limiter's store, without revealing whose it is. */
export const accountTag = (email: string) => digest(email);

/** Changes with the password, and reveals nothing about it. */
export const fingerprint = (passwordHash: string | null) => digest(passwordHash ?? "no password");

type Account = { email: string; passwordHash: string | null; secondFactorAt?: Date | null };

/** A browser that signed in before the account had a second factor never used it. */
const signInMark = ({ passwordHash, secondFactorAt }: Account) =>
  secondFactorAt
    ? digest(`${fingerprint(passwordHash)} ${secondFactorAt.getTime()}`)
    : fingerprint(passwordHash);

/** Whether this account signed in here before, with the password and second factor it still has. */
export function hasSignedInWith(device: KnownDevice | null | undefined, account: Account): boolean {
  return device?.accounts[accountTag(account.email)] === signInMark(account);
}

export function withAccount(device: KnownDevice | null, account: Account): KnownDevice {
  const tag = accountTag(account.email);
  const others = Object.entries(device?.accounts ?? {}).filter(([known]) => known !== tag);
  const accounts = [...others, [tag, signInMark(account)] as const].slice(-maximumAccounts);
  return {
    id: device?.id ?? randomBytes(16).toString("base64url"),
    accounts: Object.fromEntries(accounts),
  };
}

export function sealKnownDevice(device: KnownDevice): Promise<string> {
  return encode({
    token: { ...device },
    secret: authSecret(),
    salt,
    maxAge: knownDeviceLifetimeSeconds,
  });
}

/** Null for a cookie that was altered, is too old, or was sealed with another secret. */
export async function openKnownDevice(sealed: string | undefined): Promise<KnownDevice | null> {
  if (!sealed) return null;
  try {
    const payload = await decode({ token: sealed, secret: authSecret(), salt });
    const { id, accounts } = (payload ?? {}) as Partial<KnownDevice>;
    return id && accounts ? { id, accounts } : null;
  } catch {
    return null;
  }
}
