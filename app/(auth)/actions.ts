"use server";

import { redirect } from "next/navigation";
import { actOnAccount } from "@/app/(dashboard)/run-action";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { finishSignIn } from "@/lib/auth/second-step";
import { signIn, signOut, signUp } from "@/lib/auth/service";
import {
  clearPendingSignIn,
  clearSessionCookie,
  readPendingSignIn,
  writePendingSignIn,
  writeSessionCookie,
} from "@/lib/auth/session-cookie";
import { throttledSentence } from "@/lib/auth/throttle";
import { deleteAccount } from "@/lib/members/delete-account";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { signUpInput } from "@/lib/users/schema";
import { asUnavailable, type FormState, fieldErrors, textOf } from "./form-state";

export async function signInAction(_before: FormState, form: FormData): Promise<FormState> {
  const email = textOf(form, "email");
  const device = await currentDevice();
  const result = await signIn({ email, password: textOf(form, "password") }, device).catch(
    asUnavailable,
  );

  if (result.outcome === "unavailable") return { message: result.detail, values: { email } };
  if (result.outcome === "throttled")
    return { message: throttledSentence(result), values: { email } };
  // One text for an unknown address and a wrong password.
  if (result.outcome === "failed")
    return { message: "The email address or password is incorrect.", values: { email } };

  const target = returnPath(form.get("callbackUrl"));
  if (result.outcome === "second-step") {
    await writePendingSignIn(result.pending);
    redirect(`/login?callbackUrl=${encodeURIComponent(target)}`);
  }
  await writeSessionCookie(result.sessionId);
  redirect(target);
}

/** The second step of a sign-in with a password or a provider. */
export async function finishSignInAction(_before: FormState, form: FormData): Promise<FormState> {
  const result = await finishSignIn(
    await readPendingSignIn(),
    textOf(form, "code"),
    await currentDevice(),
  ).catch(asUnavailable);
  if (result.outcome === "unavailable") return { message: result.detail };
  if (result.outcome === "throttled") return { message: throttledSentence(result) };
  if (result.outcome === "failed")
    return { message: "The code is incorrect or was already used. Enter the newest one." };
  const target = returnPath(form.get("callbackUrl"));
  await clearPendingSignIn();
  if (result.outcome !== "signed-in")
    redirect(`/login?error=SecondFactorOver&callbackUrl=${encodeURIComponent(target)}`);
  await writeSessionCookie(result.sessionId);
  redirect(target);
}

/** Goes back to the first step. */
export async function cancelSignInAction(): Promise<void> {
  await clearPendingSignIn();
  redirect("/login");
}

export async function signUpAction(_before: FormState, form: FormData): Promise<FormState> {
  const values = {
    organization: textOf(form, "organization"),
    name: textOf(form, "name"),
    email: textOf(form, "email"),
  };
  const input = signUpInput.safeParse({ ...values, password: textOf(form, "password") });
  if (!input.success) return { ...fieldErrors(input.error), values };

  const device = await currentDevice();
  const result = await signUp(input.data, device).catch(asUnavailable);
  if (result.outcome === "unavailable") return { message: result.detail, values };
  if (result.outcome === "too-many")
    return {
      message: "Too many accounts were created from this network. Try again in 15 minutes.",
      values,
    };
  if (result.outcome === "email-taken")
    return { errors: { email: "An account with this email address already exists." }, values };

  await writeSessionCookie(result.sessionId);
  redirect(`/${result.tenantSlug}/test`);
}

/** Ends the user's sessions on every device. */
export async function signOutAction(): Promise<void> {
  const user = await requireUser();
  await signOut(user, await currentDevice());
  await clearSessionCookie();
  redirect("/login");
}

/** Deletes the account in every organization, and signs this browser out. */
export async function deleteAccountAction(): Promise<ActionResult | ProofRequest> {
  return actOnAccount(async (user, device) => {
    await deleteAccount(user, device);
    await clearSessionCookie();
    return null;
  });
}
