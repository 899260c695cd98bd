"use client";

import Link from "next/link";
import { EmailField } from "@/components/profile/account-fields";
import { PasskeyButton } from "@/components/profile/passkey-button";
import { ProviderButtons } from "@/components/profile/provider-buttons";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import type { ProviderChoice } from "@/lib/auth/providers";
import { signInAction } from "../actions";
import { Heading } from "../heading";
import { askForSignInAction, passkeySignInAction } from "../passkey-actions";
import { useActionForm } from "../use-action-form";

type SignInFormProps = {
  callbackUrl: string;
  message?: string;
  providers: ProviderChoice[];
  canUsePasskey: boolean;
};

export function SignInForm({ callbackUrl, message, providers, canUsePasskey }: SignInFormProps) {
  const { state, form } = useActionForm(signInAction, {
    initial: { message },
    suspect: "password",
  });

  return (
    <div className="space-y-5">
      <Heading title="Sign in" />
      {state.message ? <Notice>{state.message}</Notice> : null}
      <ProviderButtons providers={providers} callbackUrl={callbackUrl} />
      <form {...form} className="space-y-5">
        <input type="hidden" name="callbackUrl" value={callbackUrl} />
        <EmailField value={state.values?.email} />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <SubmitButton pending="Signing in…" className="w-full">
          Sign in
        </SubmitButton>
      </form>
      {canUsePasskey ? (
        <PasskeyButton
          label="Sign in with a passkey"
          ask={askForSignInAction}
          send={(response) => passkeySignInAction(response, callbackUrl)}
        />
      ) : null}
      <p>
        <Link href="/password" className="font-medium text-accent underline underline-offset-2">
          Forgot your password?
        </Link>
      </p>
      <p className="text-muted">
        No account yet?{" "}
        <Link href="/signup" className="font-medium text-accent underline underline-offset-2">
          Sign up
        </Link>
      </p>
    </div>
  );
}
