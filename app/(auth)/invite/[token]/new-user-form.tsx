"use client";

import { useActionState } from "react";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { acceptAsNewUserAction } from "../actions";

export function NewUserForm({ token, email, minimumPasswordLength }: { token: string; email: string; minimumPasswordLength: number }) {
  const [{ message, errors, values }, action] = useActionState(acceptAsNewUserAction.bind(null, token), {});
  return (
    <form action={action} className="space-y-5">
      {message ? <Notice>{message}</Notice> : null}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label="Your name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        defaultValue={values?.name}
        error={errors?.name}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={minimumPasswordLength}
        hint={`At least ${minimumPasswordLength} characters. A few words in a row are good.`}
        error={errors?.password}
      />
      <SubmitButton pending="Joining…" className="w-full">
        Create account and join
      </SubmitButton>
    </form>
  );
}
