"use server";

import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { confirmPassword } from "@/lib/auth/service";
import { throttledSentence } from "@/lib/auth/throttle";
import type { ActionResult } from "@/lib/platform/action-result";
import { toRefusal } from "./run-action";

/** Called by the dialog that asks for a proof of identity. */
export async function confirmPasswordAction(password: string): Promise<ActionResult> {
  const user = await requireUser();
  try {
    const result = await confirmPassword(user, password, await currentDevice());
    if (result.outcome === "confirmed") return { outcome: "done", value: null };
    const message =
      result.outcome === "throttled" ? throttledSentence(result) : "The password is incorrect.";
    return { outcome: "refused", message, errors: {} };
  } catch (error) {
    return toRefusal(error);
  }
}
