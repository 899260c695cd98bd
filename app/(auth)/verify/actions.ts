"use server";

import { redirect } from "next/navigation";
import { toRefusal } from "@/app/(dashboard)/run-action";
import { confirmEmailChange, findEmailChange, undoEmailChange } from "@/lib/auth/email-change";
import {
  confirmEmail,
  findEmailVerification,
  resendEmailVerification,
} from "@/lib/auth/email-verification";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { clearSessionCookie, rememberDevice } from "@/lib/auth/session-cookie";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import type { ActionResult } from "@/lib/platform/action-result";
import { asMessage, type FormState } from "../form-state";

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
  if (!isConfirmed) {
    // The page says why, and what to do.
    if ((await findEmailVerification(String(token)))?.userId !== user.id)
      redirect(`/verify/${encodeURIComponent(token)}`);
    return { message: "This link is no longer valid. Request a new one in the dashboard." };
  }
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

export async function confirmEmailChangeAction(
  token: string,
  _before: FormState,
): Promise<FormState> {
  const user = await requireUser();
  if (!(await confirmEmailChange(user, String(token), await currentDevice()))) {
    if ((await findEmailChange(String(token)))?.userId !== user.id)
      redirect(`/verify/new/${encodeURIComponent(token)}`);
    // Another account has the address by now.
    return { message: "This link is no longer valid. Request a new one in your profile." };
  }
  // The browser remembers accounts by their address.
  await rememberDevice(user.sessionId);
  const first = user.memberships[0];
  redirect(first ? `/${first.tenant.slug}/test/settings/profile` : "/");
}

export async function undoEmailChangeAction(token: string, _before: FormState): Promise<FormState> {
  let isUndone: boolean;
  try {
    isUndone = await undoEmailChange(String(token), await currentDevice());
  } catch (error) {
    return asMessage(error);
  }
  if (!isUndone) redirect(`/verify/undo/${encodeURIComponent(token)}`);
  await clearSessionCookie();
  redirect("/password?reversed=true");
}
