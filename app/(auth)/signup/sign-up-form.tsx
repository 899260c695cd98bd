"use client";

import Link from "next/link";
import { EmailField, NameField, NewPasswordField } from "@/components/profile/account-fields";
import { ProviderButtons } from "@/components/profile/provider-buttons";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import type { ProviderChoice } from "@/lib/auth/providers";
import { signUpAction } from "../actions";
import { Heading } from "../heading";
import { useActionForm } from "../use-action-form";

type SignUpFormProps = { minimumPasswordLength: number; providers: ProviderChoice[] };

export function SignUpForm({ minimumPasswordLength, providers }: SignUpFormProps) {
  const { state, errors, form } = useActionForm(signUpAction);
  const { message, values } = state;

  return (
    <div className="space-y-5">
      <Heading title="Create your account">You can create an API key right after this.</Heading>
      <ProviderButtons providers={providers} callbackUrl="/" />
      <form {...form} className="space-y-5">
        {message ? <Notice>{message}</Notice> : null}
        <TextField
          label="Organization"
          name="organization"
          autoComplete="organization"
          required
          maxLength={100}
          defaultValue={values?.organization}
          error={errors.organization}
        />
        <NameField value={values?.name} error={errors.name} />
        <EmailField value={values?.email} error={errors.email} />
        <NewPasswordField minimumLength={minimumPasswordLength} error={errors.password} />
        <SubmitButton pending="Creating your account…" className="w-full">
          Create account
        </SubmitButton>
      </form>
      <p className="text-muted">
        Have an account?{" "}
        <Link href="/login" className="font-medium text-accent underline underline-offset-2">
          Sign in
        </Link>
      </p>
    </div>
  );
}
