"use client";

import { useActionState } from "react";
import { KnownEmail, NewPasswordField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { Heading } from "../../heading";
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
      <Heading title="Set a new password">
        For {email}. You’ll be signed out on every other device.
      </Heading>
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
