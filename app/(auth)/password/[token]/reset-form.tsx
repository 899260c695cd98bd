"use client";

import { useActionState } from "react";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { resetPasswordAction } from "../actions";

export function ResetForm({ token, email, minimumPasswordLength }: { token: string; email: string; minimumPasswordLength: number }) {
  const [{ message, errors }, action] = useActionState(resetPasswordAction.bind(null, token), {});
  return (
    <form action={action} className="space-y-5">
      <div className="space-y-1">
        <h1 className="font-semibold text-2xl tracking-tight">Set a new password</h1>
        <p className="break-words text-muted">For {email}. You will be signed out everywhere else.</p>
      </div>
      {message ? <Notice>{message}</Notice> : null}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={minimumPasswordLength}
        hint={`At least ${minimumPasswordLength} characters. A few words in a row are good.`}
        error={errors?.password}
      />
      <SubmitButton pending="Setting it…" className="w-full">
        Set password and sign in
      </SubmitButton>
    </form>
  );
}
