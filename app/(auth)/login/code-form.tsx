"use client";

import { CodeField } from "@/components/profile/code-field";
import { PasskeyButton } from "@/components/profile/passkey-button";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { cancelSignInAction, finishSignInAction } from "../actions";
import { Heading } from "../heading";
import { askForSignInAction, passkeySignInAction } from "../passkey-actions";
import { useActionForm } from "../use-action-form";

type CodeFormProps = {
  callbackUrl: string;
  email: string;
  message?: string;
  canUsePasskey: boolean;
};

/** The second step of a sign-in with a password or a provider. */
export function CodeForm({ callbackUrl, email, message, canUsePasskey }: CodeFormProps) {
  const { state, form } = useActionForm(finishSignInAction, {
    initial: { message },
    suspect: "code",
  });
  return (
    <div className="space-y-5">
      <Heading title="Enter a code">
        You’re signing in as {email}, whose account has a second factor.
      </Heading>
      {state.message ? <Notice>{state.message}</Notice> : null}
      <form {...form} className="space-y-5">
        <input type="hidden" name="callbackUrl" value={callbackUrl} />
        <CodeField autoFocus />
        <SubmitButton pending="Signing in…" className="w-full">
          Sign in
        </SubmitButton>
      </form>
      {canUsePasskey ? (
        <PasskeyButton
          label="Use a passkey instead"
          ask={askForSignInAction}
          send={(response) => passkeySignInAction(response, callbackUrl)}
        />
      ) : null}
      <form action={cancelSignInAction}>
        <SubmitButton variant="quiet" pending="Going back…" className="w-full">
          Sign in as someone else
        </SubmitButton>
      </form>
    </div>
  );
}
