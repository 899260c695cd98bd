"use server";

import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { confirmCode, confirmPasskey } from "@/lib/auth/second-step";
import { confirmPassword } from "@/lib/auth/service";
import { takeChallenge, writeChallenge } from "@/lib/auth/session-cookie";
import { throttledSentence } from "@/lib/auth/throttle";
import type { ActionResult, Refusal } from "@/lib/platform/action-result";
import { askToConfirm } from "@/lib/second-factor/passkeys";
import { toRefusal } from "./run-action";

// Called by the dialog that asks for a proof of identity.

const done = { outcome: "done", value: null } as const;
const refusal = (message: string): Refusal => ({ outcome: "refused", message, errors: {} });

export async function confirmPasswordAction(password: string): Promise<ActionResult> {
  const user = await requireUser();
  try {
    const result = await confirmPassword(user, password, await currentDevice());
    if (result.outcome === "confirmed") return done;
    if (result.outcome === "throttled") return refusal(throttledSentence(result));
    return refusal(
      result.outcome === "code-needed"
        ? "Reload this page. You now have a second factor, which confirms your identity instead."
        : "The password is incorrect.",
    );
  } catch (error) {
    return toRefusal(error);
  }
}

export async function confirmCodeAction(code: string): Promise<ActionResult> {
  const result = await confirmCode(await requireUser(), code, await currentDevice());
  if (result.outcome === "confirmed") return done;
  return refusal(
    result.outcome === "throttled"
      ? throttledSentence(result)
      : "The code is incorrect or was already used. Enter the newest one.",
  );
}

/** @returns what the browser asks the user's passkey to sign */
export async function askForPasskeyAction() {
  const user = await requireUser();
  try {
    const { options, challenge } = await askToConfirm(user);
    await writeChallenge(challenge);
    return { outcome: "done", value: options } as const;
  } catch (error) {
    return toRefusal(error);
  }
}

export async function confirmPasskeyAction(response: unknown): Promise<ActionResult> {
  const user = await requireUser();
  const challenge = await takeChallenge();
  const result = await confirmPasskey(user, response, challenge, await currentDevice());
  if (result.outcome === "confirmed") return done;
  return refusal(
    result.outcome === "throttled"
      ? throttledSentence(result)
      : "This passkey does not confirm your identity. Try again, or use another one.",
  );
}
