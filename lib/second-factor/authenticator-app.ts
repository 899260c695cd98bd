import { randomBytes } from "node:crypto";
import { encode } from "uqr";
import type { Db } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { authenticatorContext, openSecret, sealSecret } from "@/lib/platform/secret-box";
import type { Device, SignedInUser } from "@/lib/sessions/service";
import { changeAccount } from "@/lib/step-up/change-account";
import { toBase32 } from "./base32";
import { addFactor, removeFactor } from "./service";
import { findStep, setUpUri } from "./totp";

/** @param secret in base32, for a user who cannot scan the code */
export type AuthenticatorSetUp = { secret: string; uri: string; qrCode: string[] };

/** How long a user may take between scanning the code and entering the first one. */
const setUpMs = 60 * 60_000;

/**
 * Makes a new secret. The app counts only once the user enters its first code. Until then, asking
 * again replaces the secret.
 * @throws AppError `conflict` if the user has an app
 */
export function beginAuthenticatorApp(
  user: SignedInUser,
  device: Device,
): Promise<AuthenticatorSetUp> {
  return changeAccount(user, device, "add an authenticator app", async (transaction, at) => {
    if (await hasAuthenticatorApp(transaction, user.id)) throw alreadyAdded();
    const bytes = randomBytes(20);
    const sealedSecret = sealSecret(bytes.toString("base64"), authenticatorContext(user.id));
    const fields = { sealedSecret, createdAt: at };
    await transaction.authenticatorApp.upsert({
      where: { userId: user.id },
      create: { userId: user.id, ...fields },
      update: fields,
    });
    const secret = toBase32(bytes);
    const uri = setUpUri(secret, user.email);
    return { secret, uri, qrCode: drawQrCode(uri) };
  });
}

const alreadyAdded = () =>
  new AppError("conflict", "You already have an authenticator app. Remove it first.");

/** Rows of 0 and 1, drawn here because a service that draws codes would learn the secret. */
const drawQrCode = (text: string) =>
  encode(text, { ecc: "M", border: 2 }).data.map((row) =>
    row.map((isDark) => (isDark ? "1" : "0")).join(""),
  );

/**
 * @returns the recovery codes if this is the user's first factor
 * @throws AppError `conflict` for a wrong code, or one that came too late
 */
export function confirmAuthenticatorApp(
  user: SignedInUser,
  code: string,
  device: Device,
): Promise<string[] | null> {
  return changeAccount(user, device, "add an authenticator app", async (transaction, at) => {
    const app = await transaction.authenticatorApp.findUnique({ where: { userId: user.id } });
    if (app?.confirmedAt) throw alreadyAdded();
    if (!app || at.getTime() - app.createdAt.getTime() > setUpMs)
      throw new AppError("conflict", "This took too long. Close the dialog and start again.");
    const step = findStep(secretOf(app), digitsOf(code), at);
    if (step === null)
      throw new AppError(
        "conflict",
        "The code is incorrect. Enter the newest one, and check the clock of your device.",
      );
    await transaction.authenticatorApp.update({
      where: { userId: user.id },
      data: { confirmedAt: at, lastStep: step },
    });
    return addFactor(transaction, user, { device, at, change: "authenticator app added" });
  });
}

export function removeAuthenticatorApp(user: SignedInUser, device: Device): Promise<void> {
  return changeAccount(user, device, "remove the authenticator app", async (transaction, at) => {
    const { count } = await transaction.authenticatorApp.deleteMany({ where: { userId: user.id } });
    if (count === 0) return;
    await removeFactor(transaction, user, { device, at, change: "authenticator app removed" });
  });
}

/** @returns whether the code is valid now and was not used before. It does not work again. */
export async function consumeAuthenticatorCode(
  transaction: Db,
  userId: string,
  code: string,
  at: Date,
): Promise<boolean> {
  // Recovery codes must work even if the secret cannot be decrypted.
  if (!/^\d{6}$/.test(digitsOf(code))) return false;
  const app = await transaction.authenticatorApp.findUnique({ where: { userId } });
  const step = app?.confirmedAt ? findStep(secretOf(app), digitsOf(code), at) : null;
  if (step === null) return false;
  // Of two concurrent requests with one code, the second finds that it was used.
  const { count } = await transaction.authenticatorApp.updateMany({
    where: { userId, confirmedAt: { not: null }, lastStep: { lt: step } },
    data: { lastStep: step },
  });
  return count > 0;
}

export const hasAuthenticatorApp = async (transaction: Db, userId: string): Promise<boolean> =>
  (await transaction.authenticatorApp.count({ where: { userId, confirmedAt: { not: null } } })) > 0;

/** Apps show codes in two groups. */
const digitsOf = (code: string) => code.replace(/\s/g, "");

const secretOf = ({ userId, sealedSecret }: { userId: string; sealedSecret: string }) =>
  Buffer.from(openSecret(sealedSecret, authenticatorContext(userId)), "base64");
