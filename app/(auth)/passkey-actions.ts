"use server";

import { redirect } from "next/navigation";
import { currentDevice } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { signInWithPasskey } from "@/lib/auth/second-step";
import {
  clearPendingSignIn,
  readPendingSignIn,
  takeChallenge,
  writeChallenge,
  writeSessionCookie,
} from "@/lib/auth/session-cookie";
import { throttledSentence } from "@/lib/auth/throttle";
import type { ActionResult } from "@/lib/platform/action-result";
import { askToSignIn } from "@/lib/second-factor/passkeys";

/** @returns what the browser asks one of the user's passkeys to sign */
export async function askForSignInAction() {
  const { options, challenge } = await askToSignIn();
  await writeChallenge(challenge);
  return options;
}

export async function passkeySignInAction(
  response: unknown,
  callbackUrl: string,
): Promise<ActionResult> {
  const challenge = await takeChallenge();
  const pending = await readPendingSignIn();
  const result = await signInWithPasskey(response, challenge, await currentDevice(), pending);
  if (result.outcome !== "signed-in")
    return {
      outcome: "refused",
      message:
        result.outcome === "throttled"
          ? throttledSentence(result)
          : "This passkey does not sign you in. Try again, or sign in another way.",
      errors: {},
    };
  await clearPendingSignIn();
  await writeSessionCookie(result.sessionId);
  redirect(returnPath(callbackUrl));
}
