import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { AppError, limitReached } from "@/lib/platform/errors";
import type { Device, SignedInUser } from "@/lib/sessions/service";
import { changeAccount } from "@/lib/step-up/change-account";
import {
  type Asked,
  challengeFor,
  credentialsOf,
  isFor,
  maximumPasskeyId,
  type PasskeyChallenge,
  requireSite,
  webauthn,
} from "./passkeys";
import { addFactor, removeFactor } from "./service";

const maximumPasskeys = 20;

const knownTransports = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

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
