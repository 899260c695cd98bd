import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { AuthenticatorSetUp } from "@/lib/second-factor/authenticator-app";
import type { NewPasskeyOptions } from "./passkey-prompt";

type Answer<Value> = Promise<ActionResult<Value> | ProofRequest>;
/** Adding the first factor returns recovery codes. */
type RecoveryCodes = string[] | null;

/** The server actions of app/(dashboard)/second-factor-actions.ts. */
export type SecondFactorActions = {
  askToAddPasskey: () => Answer<NewPasskeyOptions>;
  addPasskey: (sent: { name: string; response: unknown }) => Answer<RecoveryCodes>;
  removePasskey: (id: string) => Answer<null>;
  beginAuthenticator: () => Answer<AuthenticatorSetUp>;
  confirmAuthenticator: (code: string) => Answer<RecoveryCodes>;
  removeAuthenticator: () => Answer<null>;
  replaceRecoveryCodes: () => Answer<string[]>;
};
