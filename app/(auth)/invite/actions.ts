"use server";

import { redirect } from "next/navigation";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { signOut, signUpByInvitation } from "@/lib/auth/service";
import { clearSessionCookie, writeSessionCookie } from "@/lib/auth/session-cookie";
import { acceptInvitation, findInvitation } from "@/lib/members/accept-invitation";
import { newPersonInput } from "@/lib/users/schema";
import { asMessage, type FormState, fieldErrors, textOf } from "../form-state";

/** For a user who is signed in with the invited address. */
export async function acceptAction(token: string, _before: FormState): Promise<FormState> {
  const { id, email } = await requireUser();
  const { address } = await currentDevice();
  const accepted = await acceptInvitation({ id, email, address }, token).catch(asMessage);
  if ("message" in accepted) {
    // The page says why, and what to do.
    if ((await findInvitation(token))?.email !== email) reopen(token);
    return accepted;
  }
  redirect(`/${accepted.tenantSlug}/test`);
}

/** For a person who creates an account by accepting. */
export async function acceptAsNewUserAction(
  token: string,
  _before: FormState,
  form: FormData,
): Promise<FormState> {
  const invitation = await findInvitation(token);
  if (!invitation) return reopen(token);
  const values = { name: textOf(form, "name") };
  const input = newPersonInput(invitation.email).safeParse({
    ...values,
    password: textOf(form, "password"),
  });
  if (!input.success) return { ...fieldErrors(input.error), values };

  const result = await signUpByInvitation(token, input.data, await currentDevice()).catch(
    asMessage,
  );
  if ("message" in result) {
    if (!(await findInvitation(token))) reopen(token);
    return { ...result, values };
  }
  if (result.outcome === "too-many")
    return {
      message: "Too many accounts were created from this network. Try again in 15 minutes.",
      values,
    };
  // The page offers to sign in instead.
  if (result.outcome === "email-taken") return reopen(token);
  await writeSessionCookie(result.sessionId);
  redirect(`/${result.tenantSlug}/test`);
}

/** For a user who is signed in with another address than the invited one. */
export async function signOutToAcceptAction(token: string): Promise<FormState> {
  await signOut(await requireUser(), await currentDevice());
  await clearSessionCookie();
  return reopen(token);
}

const reopen = (token: string) => redirect(`/invite/${encodeURIComponent(token)}`);
