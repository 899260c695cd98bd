import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { type Db, db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { now } from "@/lib/platform/time";
import type { Device, SignedInUser } from "@/lib/sessions/service";
import { recordAuditOfUser } from "@/lib/users/service";
import type { UserModel } from "@/prisma/generated/models";

/** Loaded when first used: it contains parsers for every kind of certificate. */
export const webauthn = () => import("@simplewebauthn/server");

/**
 * What a passkey signs, and what for. The browser stores it in an encrypted cookie
 * (lib/auth/session-cookie.ts), so that strangers who ask for challenges write nothing.
 */
export type PasskeyChallenge = {
  challenge: string;
  purpose: "sign-in" | "confirm" | "add";
  /** Of the user who is signed in. */
  sessionId: string | null;
  /** In milliseconds. */
  at: number;
};

/** How long a user may take to confirm on their device. */
export const challengeLifetimeSeconds = 300;

/** WebAuthn allows 1,023 bytes, in base64url. A longer id would not fit into an index. */
export const maximumPasskeyId = 1_364;

/**
 * The site that passkeys belong to: browsers use one only at the host of APP_URL. Null if browsers
 * offer none there: at an IP address, or without https.
 */
export function passkeySite(): { id: string; origin: string } | null {
  const { protocol, hostname, origin } = new URL(env().APP_URL);
  if (isIP(hostname.replace(/^\[|\]$/g, ""))) return null;
  if (protocol !== "https:" && hostname !== "localhost" && !hostname.endsWith(".localhost"))
    return null;
  return { id: hostname, origin };
}

export function requireSite() {
  const site = passkeySite();
  if (!site)
    throw new AppError(
      "conflict",
      "Passkeys work only where the address of this installation (APP_URL) has a host name and https.",
    );
  return site;
}

export const challengeFor = (
  challenge: string,
  purpose: PasskeyChallenge["purpose"],
  sessionId: string | null,
): PasskeyChallenge => ({ challenge, purpose, sessionId, at: now().getTime() });

export type Asked<Options> = { options: Options; challenge: PasskeyChallenge };

/** Names no user and no passkey, so it reveals nothing about accounts. */
export async function askToSignIn(): Promise<Asked<PublicKeyCredentialRequestOptionsJSON>> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: requireSite().id,
    userVerification: "required",
  });
  return { options, challenge: challengeFor(options.challenge, "sign-in", null) };
}

/** For a fresh proof of the signed-in user. */
export async function askToConfirm(
  user: Pick<SignedInUser, "id" | "sessionId">,
): Promise<Asked<PublicKeyCredentialRequestOptionsJSON>> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: requireSite().id,
    userVerification: "required",
    allowCredentials: await credentialsOf(db(), user.id),
  });
  return { options, challenge: challengeFor(options.challenge, "confirm", user.sessionId) };
}

export async function credentialsOf(transaction: Db, userId: string) {
  const found = await transaction.passkey.findMany({
    where: { userId },
    select: { id: true, transports: true },
  });
  return found.map(({ id, transports }) => ({
    id,
    transports: transports as AuthenticatorTransport[],
  }));
}

export const isFor = (
  challenge: PasskeyChallenge | null,
  purpose: PasskeyChallenge["purpose"],
  sessionId: string | null,
): challenge is PasskeyChallenge =>
  challenge?.purpose === purpose &&
  challenge.sessionId === sessionId &&
  now().getTime() - challenge.at <= challengeLifetimeSeconds * 1000;

/** Whether a user has a passkey with this id. Ids are random, so a stranger cannot guess one. */
export async function isKnownPasskey(id: string): Promise<boolean> {
  return (await db().passkey.findUnique({ where: { id }, select: { id: true } })) !== null;
}

/**
 * Checks what a passkey signed, and that neither this challenge nor a later one was used with it
 * before.
 * @param response from the browser, which may send anything
 * @returns the user it belongs to; null if it does not sign anyone in
 */
export async function consumePasskey(
  transaction: Db,
  response: { id: string },
  challenge: PasskeyChallenge | null,
  {
    purpose,
    sessionId = null,
    device,
  }: { purpose: "sign-in" | "confirm"; sessionId?: string | null; device: Device },
): Promise<UserModel | null> {
  const site = passkeySite();
  if (!site || !isFor(challenge, purpose, sessionId)) return null;
  const passkey = await transaction.passkey.findUnique({
    where: { id: response.id },
    include: { user: true },
  });
  if (!passkey) return null;
  const { verifyAuthenticationResponse } = await webauthn();
  const checked = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    // The counter is compared below, where a clone can be told from an invalid signature.
    credential: { id: passkey.id, publicKey: passkey.publicKey, counter: 0 },
  }).catch(() => null);
  if (!checked?.verified) return null;

  const { newCounter } = checked.authenticationInfo;
  const challengeAt = new Date(challenge.at);
  const { count } = await transaction.passkey.updateMany({
    where: {
      id: passkey.id,
      counter: newCounter === 0 ? 0 : { lt: newCounter },
      OR: [{ lastChallengeAt: null }, { lastChallengeAt: { lt: challengeAt } }],
    },
    data: { counter: newCounter, lastUsedAt: now(), lastChallengeAt: challengeAt },
  });
  if (count > 0) return passkey.user;
  if (passkey.counter > 0 && newCounter <= passkey.counter) {
    log.warn({ userId: passkey.userId }, "the counter of a passkey went backward");
    const changes = { after: { passkey: passkey.name, reason: "its counter went backward" } };
    const record = { action: "user.second_factor_refused", changes } as const;
    await recordAuditOfUser(transaction, passkey.userId, device.address, record, "stranger");
  }
  return null;
}
