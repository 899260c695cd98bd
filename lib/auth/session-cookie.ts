import { cookies } from "next/headers";
import { decode, encode } from "next-auth/jwt";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { challengeLifetimeSeconds, type PasskeyChallenge } from "@/lib/second-factor/passkeys";
import {
  findAccountOfSession,
  type KnownDevice,
  sessionLifetimeSeconds,
} from "@/lib/sessions/service";
import { authSecret } from "./auth-secret";
import {
  knownDeviceLifetimeSeconds,
  openKnownDevice,
  sealKnownDevice,
  withAccount,
} from "./known-device";
import { pendingSignInSeconds } from "./pending-sign-in";

/** The same attributes that next-auth uses, so that both can write and read the cookie. */
function cookieNamed(name: string) {
  const isSecure = env().NEXTAUTH_URL?.startsWith("https://") ?? false;
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure } as const;
  return { name: isSecure ? `__Secure-${name}` : name, attributes };
}

const sessionCookie = () => cookieNamed("next-auth.session-token");
const deviceCookie = () => cookieNamed("parlance.device");
const pendingCookie = () => cookieNamed("parlance.pending-sign-in");
const challengeCookie = () => cookieNamed("parlance.passkey-challenge");

/**
 * Signs the browser in and remembers it. Works only in server actions and route handlers, because
 * pages cannot set cookies.
 */
export async function writeSessionCookie(sessionId: string): Promise<void> {
  const { name, attributes } = sessionCookie();
  const token = await encode({
    token: { sessionId },
    secret: authSecret(),
    maxAge: sessionLifetimeSeconds,
  });
  (await cookies()).set(name, token, { ...attributes, maxAge: sessionLifetimeSeconds });
  await rememberDevice(sessionId);
}

export async function clearSessionCookie(): Promise<void> {
  const { name, attributes } = sessionCookie();
  (await cookies()).set(name, "", { ...attributes, maxAge: 0 });
}

/** Remembers a sign-in that waits for a code (pending-sign-in.ts). */
export async function writePendingSignIn(sealed: string): Promise<void> {
  const { name, attributes } = pendingCookie();
  (await cookies()).set(name, sealed, { ...attributes, maxAge: pendingSignInSeconds });
}

export async function readPendingSignIn(): Promise<string | undefined> {
  return (await cookies()).get(pendingCookie().name)?.value;
}

export async function clearPendingSignIn(): Promise<void> {
  const { name, attributes } = pendingCookie();
  (await cookies()).set(name, "", { ...attributes, maxAge: 0 });
}

/** Keeps these tokens apart from those of sessions, which are sealed with the same secret. */
const challengeSalt = "passkey-challenge";

export async function writeChallenge(challenge: PasskeyChallenge): Promise<void> {
  const { name, attributes } = challengeCookie();
  const maxAge = challengeLifetimeSeconds;
  const sealed = await encode({
    token: { ...challenge },
    secret: authSecret(),
    salt: challengeSalt,
    maxAge,
  });
  (await cookies()).set(name, sealed, { ...attributes, maxAge });
}

/** Returns the browser's challenge, and deletes it from the browser. */
export async function takeChallenge(): Promise<PasskeyChallenge | null> {
  const { name, attributes } = challengeCookie();
  const store = await cookies();
  const token = store.get(name)?.value;
  if (!token) return null;
  store.set(name, "", { ...attributes, maxAge: 0 });
  try {
    const opened = await decode({ token, secret: authSecret(), salt: challengeSalt });
    return opened as (PasskeyChallenge & object) | null;
  } catch {
    return null;
  }
}

const maximumOpened = 1_000;
/** Tokens that were opened, because that takes 0.4 ms, and the content of a token never changes. */
const opened = new Map<string, { sessionId: string; expiresAtMs: number }>();

/** The session id in the browser's cookie. Only the database knows whether it is still valid. */
export async function readSessionId(): Promise<string | null> {
  const token = (await cookies()).get(sessionCookie().name)?.value;
  if (!token) return null;
  const known = opened.get(token);
  if (known && known.expiresAtMs > Date.now()) return known.sessionId;
  try {
    const payload = await decode({ token, secret: authSecret() });
    if (typeof payload?.sessionId !== "string") return null;
    const { sessionId, exp } = payload as { sessionId: string; exp?: number };
    if (opened.size >= maximumOpened) opened.clear();
    opened.set(token, { sessionId, expiresAtMs: (exp ?? 0) * 1_000 });
    return sessionId;
  } catch {
    // Altered, expired, or sealed with another secret.
    return null;
  }
}

export async function readKnownDevice(): Promise<KnownDevice | null> {
  return openKnownDevice((await cookies()).get(deviceCookie().name)?.value);
}

/**
 * The browser keeps this cookie after signing out, so that its owner can sign in while strangers
 * guess at the account.
 */
export async function rememberDevice(sessionId: string): Promise<void> {
  const account = await findAccountOfSession(db(), sessionId);
  if (!account) return;
  const { name, attributes } = deviceCookie();
  const sealed = await sealKnownDevice(withAccount(await readKnownDevice(), account));
  (await cookies()).set(name, sealed, { ...attributes, maxAge: knownDeviceLifetimeSeconds });
}
