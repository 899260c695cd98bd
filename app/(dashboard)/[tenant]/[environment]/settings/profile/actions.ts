"use server";

import { z } from "zod";
import {
  type ActionPlace,
  act,
  actOnAccount,
  parse,
  toRefusal,
} from "@/app/(dashboard)/run-action";
import { changePassword } from "@/lib/auth/change-password";
import { requestEmailChange } from "@/lib/auth/email-change";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { endSession } from "@/lib/auth/service";
import { writeSessionCookie } from "@/lib/auth/session-cookie";
import { throttledSentence } from "@/lib/auth/throttle";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { filledFields } from "@/lib/platform/form-fields";
import { changePasswordInput, emailChangeInput, personInput } from "@/lib/users/schema";
import { renameUser } from "@/lib/users/service";

export async function renameSelfAction(place: ActionPlace, name: string): Promise<ActionResult> {
  return act(place, personInput, { name }, async (caller, input) => {
    await renameUser(caller, input.name);
    return null;
  });
}

/** Mails the new address a link that confirms it. */
export async function requestEmailChangeAction(
  email: string,
): Promise<ActionResult | ProofRequest> {
  return actOnAccount(async (user, device) => {
    const input = parse(emailChangeInput, { email });
    await requestEmailChange(user, input.email, device);
    return null;
  });
}

/** Ends every session of the user and starts a new one in this browser. */
export async function changePasswordAction(sent: FormData): Promise<ActionResult | ProofRequest> {
  const user = await requireUser();
  try {
    const { current = "", password = "" } = filledFields(sent);
    const input = parse(changePasswordInput(user.email), { current, password });
    const result = await changePassword(user, input, await currentDevice());
    if (result.outcome === "changed") {
      await writeSessionCookie(result.sessionId);
      return { outcome: "done", value: null };
    }
    if (result.outcome === "throttled")
      return { outcome: "refused", message: throttledSentence(result), errors: {} };
    if (result.outcome === "failed")
      return refusal("current", "The current password is incorrect.");
    return {
      outcome: "proof-needed",
      what: user.hasPassword ? "change your password" : "set a password",
    };
  } catch (error) {
    return toRefusal(error);
  }
}

const refusal = (field: string, message: string): ActionResult => ({
  outcome: "refused",
  message,
  errors: { [field]: message },
});

export async function revokeSessionAction(
  place: ActionPlace,
  sessionId: string,
): Promise<ActionResult> {
  return act(place, z.string().max(100), sessionId, async (caller, id) => {
    await endSession(caller, id);
    return null;
  });
}
