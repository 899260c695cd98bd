"use server";

import { redirect } from "next/navigation";
import { toRefusal } from "@/app/(dashboard)/run-action";
import { confirmEmailChange, undoEmailChange } from "@/lib/auth/email-change";
import { confirmEmail, resendEmailVerification } from "@/lib/auth/email-verification";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { clearSessionCookie, rememberDevice } from "@/lib/auth/session-cookie";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import type { ActionResult } from "@/lib/platform/action-result";
import { AppError } from "@/lib/platform/errors";
import type { FormState } from "../form-state";

/**
 * @param kept `everything` keeps the access that was added before; `nothing` suspends it for review
 */
export async function confirmEmailAction(
  token: string,
  kept: "everything" | "nothing",
  _before: FormState,
): Promise<FormState> {
  const user = await requireUser();
  const { address } = await currentDevice();
  const isConfirmed = await confirmEmail(user, String(token), {
    address,
    confirmsEverything: kept === "everything",
  });
  if (!isConfirmed)
    return { message: "This link is no longer valid. Request a new one in the dashboard." };
  const first = user.memberships[0];
  redirect(
    first
      ? `/${first.tenant.slug}/test${kept === "everything" ? "" : "/settings/access-review"}`
      : "/",
  );
}

export async function resendEmailVerificationAction(): Promise<ActionResult> {
  const user = await requireUser();
  try {
    await throttleDashboard(user.id, null);
    await resendEmailVerification(user);
    return { outcome: "done", value: null };
  } catch (error) {
    return toRefusal(error);
  }
}

const invalidLink = "This link is no longer valid.";

export async function confirmEmailChangeAction(
  token: string,
  _before: FormState,
): Promise<FormState> {
  const user = await requireUser();
  if (!(await confirmEmailChange(user, String(token), await currentDevice())))
    return { message: `${invalidLink} Request a new one in your profile.` };
  // The browser remembers accounts by their address.
  await rememberDevice(user.sessionId);
  const first = user.memberships[0];
  redirect(first ? `/${first.tenant.slug}/test/settings/profile` : "/");
}

export async function undoEmailChangeAction(token: string, _before: FormState): Promise<FormState> {
  try {
    if (!(await undoEmailChange(String(token), await currentDevice())))
      return { message: invalidLink };
  } catch (error) {
    if (error instanceof AppError) return { message: error.detail };
    throw error;
  }
  await clearSessionCookie();
  redirect("/password");
}
