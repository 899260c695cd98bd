"use server";

import { redirect } from "next/navigation";
import { flattenError } from "zod";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { signUpInput } from "@/lib/auth/schema";
import { signIn, signOut, signUp } from "@/lib/auth/service";
import { clearSessionCookie, writeSessionCookie } from "@/lib/auth/session-cookie";
import { throttledSentence } from "@/lib/auth/throttle";
import { AppError } from "@/lib/errors";

/** What a form shows after it was sent in vain. Passwords are not among what is given back. */
export type FormState = { message?: string; errors?: Record<string, string | undefined>; values?: Record<string, string> };

const text = (form: FormData, name: string) => {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
};

/** More people at once than the server hashes passwords for. */
function unavailable(error: unknown) {
  if (error instanceof AppError && error.kind === "unavailable") return { outcome: "unavailable" as const, detail: error.detail };
  throw error;
}

export async function signInAction(_before: FormState, form: FormData): Promise<FormState> {
  const email = text(form, "email");
  const device = await currentDevice();
  const result = await signIn({ email, password: text(form, "password") }, device).catch(unavailable);

  if (result.outcome === "unavailable") return { message: result.detail, values: { email } };
  if (result.outcome === "throttled") return { message: throttledSentence(result), values: { email } };
  // One text for an unknown address and a wrong password.
  if (result.outcome === "failed") return { message: "The e-mail address or the password is not right.", values: { email } };

  await writeSessionCookie(result.sessionId);
  redirect(returnPath(form.get("callbackUrl")));
}

export async function signUpAction(_before: FormState, form: FormData): Promise<FormState> {
  const values = { organisation: text(form, "organisation"), name: text(form, "name"), email: text(form, "email") };
  const input = signUpInput.safeParse({ ...values, password: text(form, "password") });
  if (!input.success) {
    const { fieldErrors } = flattenError(input.error);
    return { errors: Object.fromEntries(Object.entries(fieldErrors).map(([field, messages]) => [field, messages?.[0]])), values };
  }

  const device = await currentDevice();
  const result = await signUp(input.data, device).catch(unavailable);
  if (result.outcome === "unavailable") return { message: result.detail, values };
  if (result.outcome === "too-many") return { message: "Too many accounts were made from here. Try again in 15 minutes.", values };
  if (result.outcome === "email-taken") return { errors: { email: "There is an account with this address already." }, values };

  await writeSessionCookie(result.sessionId);
  redirect(`/${result.tenantSlug}/test`);
}

/** Ends the user's sessions on every device. */
export async function signOutAction(): Promise<void> {
  const user = await requireUser();
  await signOut(user);
  await clearSessionCookie();
  redirect("/login");
}
