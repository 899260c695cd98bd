"use client";

import { KnownEmail, NewPasswordField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { Heading } from "../../heading";
import { useActionForm } from "../../use-action-form";
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
  const { state, errors, form } = useActionForm(resetPasswordAction.bind(null, token));
  return (
    <form {...form} className="space-y-5">
      <Heading title="Set a new password">
        For {email}. You’ll be signed out on every other device.
      </Heading>
      {state.message ? <Notice>{state.message}</Notice> : null}
      <KnownEmail email={email} />
      <NewPasswordField
        label="New password"
        minimumLength={minimumPasswordLength}
        error={errors.password}
      />
      <SubmitButton pending="Saving…" className="w-full">
        Set password and sign in
      </SubmitButton>
    </form>
  );
}
