"use server";

import { redirect } from "next/navigation";
import { findPasswordReset, requestPasswordReset, resetPassword } from "@/lib/auth/password-reset";
import { currentDevice } from "@/lib/auth/require-user";
import { writePendingSignIn, writeSessionCookie } from "@/lib/auth/session-cookie";
import { resetPasswordInput, resetRequestInput } from "@/lib/users/schema";
import { asUnavailable, type FormState, fieldErrors, textOf } from "../form-state";

/** The same response for every address, so that it does not reveal which ones have accounts. */
export async function requestResetAction(_before: FormState, form: FormData): Promise<FormState> {
  const values = { email: textOf(form, "email") };
  const input = resetRequestInput.safeParse(values);
  if (!input.success) return { ...fieldErrors(input.error), values };

  const { outcome } = await requestPasswordReset(input.data.email, await currentDevice());
  if (outcome === "too-many")
    return { message: "Too many password resets were requested. Try again in 15 minutes.", values };
  return { isSent: true, values: { email: input.data.email } };
}

export async function resetPasswordAction(
  token: string,
  _before: FormState,
  form: FormData,
): Promise<FormState> {
  const reset = await findPasswordReset(token);
  if (!reset) return reopen(token);
  const input = resetPasswordInput(reset.email).safeParse({ password: textOf(form, "password") });
  if (!input.success) return fieldErrors(input.error);

  const result = await resetPassword(token, input.data.password, await currentDevice()).catch(
    asUnavailable,
  );
  if (!result) return reopen(token);
  if (result.outcome === "unavailable") return { message: result.detail };
  if (result.outcome === "second-step") {
    await writePendingSignIn(result.pending);
    redirect("/login");
  }
  await writeSessionCookie(result.sessionId);
  redirect("/");
}

/** The page of a link that is no longer valid says so, and offers a new one. */
const reopen = (token: string) => redirect(`/password/${encodeURIComponent(token)}`);
