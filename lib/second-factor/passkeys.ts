import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { type Db, db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { AppError, limitReached } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { now } from "@/lib/platform/time";
import type { Device, SignedInUser } from "@/lib/sessions/service";
import { changeAccount } from "@/lib/step-up/change-account";
import { recordAuditOfUser } from "@/lib/users/service";
import type { UserModel } from "@/prisma/generated/models";
import { addFactor, removeFactor } from "./service";

/** Loaded when first used: it contains parsers for every kind of certificate. */
const webauthn = () => import("@simplewebauthn/server");

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
const maximumPasskeys = 20;
/** WebAuthn allows 1,023 bytes, in base64url. A longer id would not fit into an index. */
export const maximumPasskeyId = 1_364;
const knownTransports = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

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

function requireSite() {
  const site = passkeySite();
  if (!site)
    throw new AppError(
      "conflict",
      "Passkeys work only where the address of this installation (APP_URL) has a host name and https.",
    );
  return site;
}

const challengeFor = (
  challenge: string,
  purpose: PasskeyChallenge["purpose"],
  sessionId: string | null,
): PasskeyChallenge => ({ challenge, purpose, sessionId, at: now().getTime() });

type Asked<Options> = { options: Options; challenge: PasskeyChallenge };

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

/**
 * Needs the proof that `addPasskey` needs, so that the browser does not ask the user for nothing.
 * @throws AppError `limit-reached` beyond 20 passkeys
 */
export async function askToAdd(
  user: Pick<SignedInUser, "id" | "sessionId" | "email" | "name">,
  device: Device,
): Promise<Asked<PublicKeyCredentialCreationOptionsJSON>> {
  const site = requireSite();
  const known = await changeAccount(user, device, "add a passkey", (transaction) =>
    credentialsOf(transaction, user.id),
  );
  requireRoom(known.length);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: "Parlance",
    rpID: site.id,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: "none",
    // A passkey replaces both steps, so it must be found without an address, and must ask for a
    // fingerprint or PIN.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: known,
  });
  return { options, challenge: challengeFor(options.challenge, "add", user.sessionId) };
}

async function credentialsOf(transaction: Db, userId: string) {
  const found = await transaction.passkey.findMany({
    where: { userId },
    select: { id: true, transports: true },
  });
  return found.map(({ id, transports }) => ({
    id,
    transports: transports as AuthenticatorTransport[],
  }));
}

function requireRoom(count: number): void {
  if (count >= maximumPasskeys)
    throw limitReached(`You've reached the limit of ${maximumPasskeys} passkeys.`, {
      limit: maximumPasskeys,
      current: count,
    });
}

function requireShortId(id: unknown): void {
  if (typeof id === "string" && id.length > maximumPasskeyId)
    throw new AppError(
      "conflict",
      "The id of this passkey is longer than 1,023 bytes. Use another device or password manager.",
    );
}

const isFor = (
  challenge: PasskeyChallenge | null,
  purpose: PasskeyChallenge["purpose"],
  sessionId: string | null,
): challenge is PasskeyChallenge =>
  challenge?.purpose === purpose &&
  challenge.sessionId === sessionId &&
  now().getTime() - challenge.at <= challengeLifetimeSeconds * 1000;

/**
 * @param response from the browser, which may send anything
 * @returns the recovery codes if it is the user's first factor
 */
export async function addPasskey(
  user: SignedInUser,
  { name, response }: { name: string; response: unknown },
  challenge: PasskeyChallenge | null,
  device: Device,
): Promise<string[] | null> {
  const site = requireSite();
  const { verifyRegistrationResponse } = await webauthn();
  return changeAccount(user, device, "add a passkey", async (transaction, at) => {
    requireRoom(await transaction.passkey.count({ where: { userId: user.id } }));
    requireShortId((response as { id?: unknown } | null)?.id);
    const verified = isFor(challenge, "add", user.sessionId)
      ? await verifyRegistrationResponse({
          response: response as RegistrationResponseJSON,
          expectedChallenge: challenge.challenge,
          expectedOrigin: site.origin,
          expectedRPID: site.id,
          requireUserVerification: true,
        }).catch(() => null)
      : null;
    if (!verified?.verified)
      throw new AppError("conflict", "Your device’s response was not valid. Try again.");

    const { id, publicKey, counter, transports } = verified.registrationInfo.credential;
    // The signed one, which can differ from the one above.
    requireShortId(id);
    // Not signed, so the browser may send anything here.
    const named: unknown[] = Array.isArray(transports) ? transports : [];
    const { count } = await transaction.passkey.createMany({
      data: [
        {
          ...{ id, userId: user.id, name, publicKey, counter, createdAt: at },
          transports: knownTransports.filter((transport) => named.includes(transport)),
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0) throw new AppError("conflict", "This passkey was already added.");
    const details = { name };
    return addFactor(transaction, user, { device, at, change: "passkey added", details });
  });
}

export function removePasskey(user: SignedInUser, id: string, device: Device): Promise<void> {
  return changeAccount(user, device, "remove a passkey", async (transaction, at) => {
    const where = { id, userId: user.id };
    const passkey = await transaction.passkey.findFirst({ where });
    if (!passkey) return;
    await transaction.passkey.delete({ where });
    const details = { name: passkey.name };
    await removeFactor(transaction, user, { device, at, change: "passkey removed", details });
  });
}

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
