import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

// The library is loaded when a user asks for it. Few pages need it.

export type SignInOptions = PublicKeyCredentialRequestOptionsJSON;
export type NewPasskeyOptions = PublicKeyCredentialCreationOptionsJSON;

/** Asks the browser for a passkey. @throws PasskeyRefused */
export async function signWithPasskey(optionsJSON: SignInOptions) {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  return startAuthentication({ optionsJSON }).catch(explain);
}

/** Asks the browser to make a passkey. @throws PasskeyRefused */
export async function makePasskey(optionsJSON: NewPasskeyOptions) {
  const { startRegistration } = await import("@simplewebauthn/browser");
  return startRegistration({ optionsJSON }).catch(explain);
}

/** The browser or the user refused. The message says what to do. */
export class PasskeyRefused extends Error {}

const messages: Record<string, string> = {
  InvalidStateError: "This device already has a passkey for your account.",
  SecurityError: "Passkeys do not work at this address. Open the page under its usual address.",
  NotSupportedError: "This browser or device does not support passkeys.",
};

function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  throw new PasskeyRefused(
    messages[name] ?? "No passkey was used: the request was canceled or took too long.",
  );
}

/** The message to show in a form. Undefined if the error is not a refusal. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof PasskeyRefused ? error.message : undefined;
