import type { ProofMethods } from "@/components/shell/proof-dialog";
import { linkedProviders } from "@/lib/auth/provider-sign-in";
import { providers } from "@/lib/auth/providers";
import { passkeySite } from "@/lib/second-factor/passkeys";
import { findFactors } from "@/lib/second-factor/service";
import type { SignedInUser } from "@/lib/sessions/service";
import {
  askForPasskeyAction,
  confirmCodeAction,
  confirmPasskeyAction,
  confirmPasswordAction,
} from "./proof-actions";

/** How this user can prove their identity: with their second factor only, if they have one. */
export async function proofMethods(user: SignedInUser): Promise<ProofMethods> {
  const { email } = user;
  if (user.hasSecondFactor) {
    const { hasPasskey } = await findFactors(user);
    const passkey = { ask: askForPasskeyAction, confirm: confirmPasskeyAction };
    return {
      ...{ email, confirmPassword: null, confirmCode: confirmCodeAction, providers: [] },
      passkey: hasPasskey && passkeySite() ? passkey : null,
    };
  }
  const linked = await linkedProviders(user.id);
  return {
    ...{ email, confirmCode: null, passkey: null },
    confirmPassword: user.hasPassword ? confirmPasswordAction : null,
    providers: linked.map((provider) => providers[provider]),
  };
}
