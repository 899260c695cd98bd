"use server";

import { redirect } from "next/navigation";
import { toRefusal } from "@/app/(dashboard)/run-action";
import { confirmEmail, resendEmailVerification } from "@/lib/auth/email-verification";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import type { ActionResult } from "@/lib/platform/action-result";
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
