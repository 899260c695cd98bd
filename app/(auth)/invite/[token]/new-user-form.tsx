"use client";

import { useActionState } from "react";
import { KnownEmail, NameField, NewPasswordField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { acceptAsNewUserAction } from "../actions";

export function NewUserForm({
  token,
  email,
  minimumPasswordLength,
}: {
  token: string;
  email: string;
  minimumPasswordLength: number;
}) {
  const [{ message, errors, values }, action] = useActionState(
    acceptAsNewUserAction.bind(null, token),
    {},
  );
  return (
    <form action={action} className="space-y-5">
      {message ? <Notice>{message}</Notice> : null}
      <KnownEmail email={email} />
      <NameField value={values?.name} error={errors?.name} />
      <NewPasswordField minimumLength={minimumPasswordLength} error={errors?.password} />
      <SubmitButton pending="Joining…" className="w-full">
        Create account and join
      </SubmitButton>
    </form>
  );
}
