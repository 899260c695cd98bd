"use client";

import { KnownEmail, NameField, NewPasswordField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { useActionForm } from "../../use-action-form";
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
  const { state, errors, form } = useActionForm(acceptAsNewUserAction.bind(null, token));
  const { message, values } = state;
  return (
    <form {...form} className="space-y-5">
      {message ? <Notice>{message}</Notice> : null}
      <KnownEmail email={email} />
      <NameField value={values?.name} error={errors.name} />
      <NewPasswordField minimumLength={minimumPasswordLength} error={errors.password} />
      <SubmitButton pending="Joining…" className="w-full">
        Create account and join
      </SubmitButton>
    </form>
  );
}
