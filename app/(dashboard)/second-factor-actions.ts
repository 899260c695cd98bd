"use server";

import { takeChallenge, writeChallenge } from "@/lib/auth/session-cookie";
import { addPasskey, askToAdd, removePasskey } from "@/lib/second-factor/add-passkey";
import {
  beginAuthenticatorApp,
  confirmAuthenticatorApp,
  removeAuthenticatorApp,
} from "@/lib/second-factor/authenticator-app";
import { newPasskeyInput } from "@/lib/second-factor/schema";
import { replaceRecoveryCodes } from "@/lib/second-factor/service";
import { actOnAccount, parse } from "./run-action";

// Each of these changes how the signed-in user signs in, in every organization.

/** @returns what the browser asks the user's device to make a passkey for */
export async function askToAddPasskeyAction() {
  return actOnAccount(async (user, device) => {
    const { options, challenge } = await askToAdd(user, device);
    await writeChallenge(challenge);
    return options;
  });
}

/** @returns the recovery codes if this is the user's first factor */
export async function addPasskeyAction(sent: { name: string; response: unknown }) {
  return actOnAccount(async (user, device) =>
    addPasskey(user, parse(newPasskeyInput, sent), await takeChallenge(), device),
  );
}

export async function removePasskeyAction(id: string) {
  return actOnAccount(async (user, device) => {
    await removePasskey(user, String(id), device);
    return null;
  });
}

export async function beginAuthenticatorAction() {
  return actOnAccount(beginAuthenticatorApp);
}

/** @returns the recovery codes if this is the user's first factor */
export async function confirmAuthenticatorAction(code: string) {
  return actOnAccount((user, device) =>
    confirmAuthenticatorApp(user, String(code).slice(0, 64), device),
  );
}

export async function removeAuthenticatorAction() {
  return actOnAccount(async (user, device) => {
    await removeAuthenticatorApp(user, device);
    return null;
  });
}

export async function replaceRecoveryCodesAction() {
  return actOnAccount(replaceRecoveryCodes);
}
