import { SecondFactorPanel } from "@/components/profile/second-factor-panel";
import { currentDevice } from "@/lib/auth/require-user";
import { passkeySite } from "@/lib/second-factor/passkeys";
import { describeSecondFactor } from "@/lib/second-factor/service";
import { deviceName } from "@/lib/sessions/device-name";
import type { SignedInUser } from "@/lib/sessions/service";
import {
  addPasskeyAction,
  askToAddPasskeyAction,
  beginAuthenticatorAction,
  confirmAuthenticatorAction,
  removeAuthenticatorAction,
  removePasskeyAction,
  replaceRecoveryCodesAction,
} from "./second-factor-actions";

/** The panel with the user's second factor, for the profile and the page that requires one. */
export async function secondFactorPanel(user: SignedInUser, now: Date) {
  const [factor, { userAgent }] = await Promise.all([describeSecondFactor(user), currentDevice()]);
  return (
    <SecondFactorPanel
      {...factor}
      canUsePasskey={passkeySite() !== null}
      device={deviceName(userAgent)}
      now={now}
      actions={{
        askToAddPasskey: askToAddPasskeyAction,
        addPasskey: addPasskeyAction,
        removePasskey: removePasskeyAction,
        beginAuthenticator: beginAuthenticatorAction,
        confirmAuthenticator: confirmAuthenticatorAction,
        removeAuthenticator: removeAuthenticatorAction,
        replaceRecoveryCodes: replaceRecoveryCodesAction,
      }}
    />
  );
}
