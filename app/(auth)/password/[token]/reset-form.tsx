"use client";

import { useActionState } from "react";
import { KnownEmail, NewPasswordField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { resetPasswordAction } from "../actions";

export function ResetForm({
  token,
  email,
  minimumPasswordLength,
}: {
  token: string;
  email: string;
  minimumPasswordLength: number;
}) {
  const [{ message, errors }, action] = useActionState(resetPasswordAction.bind(null, token), {});
  return (
    <form action={action} className="space-y-5">
      <div className="space-y-1">
        <h1 className="font-semibold text-2xl tracking-tight">Set a new password</h1>
        <p className="break-words text-muted">
          For {email}. You’ll be signed out on every other device.
        </p>
      </div>
      {message ? <Notice>{message}</Notice> : null}
      <KnownEmail email={email} />
      <NewPasswordField
        label="New password"
        minimumLength={minimumPasswordLength}
        error={errors?.password}
      />
      <SubmitButton pending="Saving…" className="w-full">
        Set password and sign in
      </SubmitButton>
    </form>
  );
}
