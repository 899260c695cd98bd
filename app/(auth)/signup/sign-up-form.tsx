"use client";

import Link from "next/link";
import { useActionState } from "react";
import { EmailField, NameField, NewPasswordField } from "@/components/profile/account-fields";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { signUpAction } from "../actions";

export function SignUpForm({ minimumPasswordLength }: { minimumPasswordLength: number }) {
  const [{ message, errors, values }, action] = useActionState(signUpAction, {});

  return (
    <form action={action} className="space-y-5">
      <div className="space-y-1">
        <h1 className="font-semibold text-2xl tracking-tight">Create your account</h1>
        <p className="text-muted">A key for the API is one click away.</p>
      </div>
      {message ? <Notice>{message}</Notice> : null}
      <TextField
        label="Organisation"
        name="organisation"
        autoComplete="organization"
        required
        maxLength={100}
        defaultValue={values?.organisation}
        error={errors?.organisation}
      />
      <NameField value={values?.name} error={errors?.name} />
      <EmailField value={values?.email} error={errors?.email} />
      <NewPasswordField minimumLength={minimumPasswordLength} error={errors?.password} />
      <SubmitButton pending="Creating your account…" className="w-full">
        Create account
      </SubmitButton>
      <p className="text-muted">
        Have an account?{" "}
        <Link href="/login" className="font-medium text-accent underline underline-offset-2">
          Sign in
        </Link>
      </p>
    </form>
  );
}
