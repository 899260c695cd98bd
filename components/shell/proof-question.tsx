"use client";

import { type FormEvent, type ReactNode, useState } from "react";
import { KnownEmail } from "@/components/profile/account-fields";
import { CodeField } from "@/components/profile/code-field";
import { PasskeyButton } from "@/components/profile/passkey-button";
import { PasskeyRefused, type SignInOptions } from "@/components/profile/passkey-prompt";
import { ProviderProof } from "@/components/profile/provider-proof";
import { Button } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { Link } from "@/components/ui/link";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/platform/action-result";
import type { ProofMethods, ProofPrompt } from "./proof-dialog";

/** The dialog of `useProof`. */
export function ProofQuestion({ ways, what, resolve }: ProofPrompt & { ways: ProofMethods }) {
  return (
    <Dialog open disablePointerDismissal onOpenChange={(open) => !open && resolve(false)}>
      <DialogContent
        title="Confirm your identity"
        description={`To ${what}, you must have signed in within the last ten minutes. You will not lose your input.`}
      >
        <div className="space-y-4">
          {ways.providers.length > 0 ? (
            <ProviderProof providers={ways.providers} prove={() => resolve(true)} />
          ) : null}
          {ways.passkey ? (
            <PasskeyButton
              label="Continue with a passkey"
              ask={() => optionsOf(ways.passkey?.ask())}
              send={ways.passkey.confirm}
              onDone={() => resolve(true)}
            />
          ) : null}
          {ways.confirmPassword ? (
            <SecretForm name="password" confirm={ways.confirmPassword} resolve={resolve}>
              <KnownEmail email={ways.email} />
              <TextField
                label="Password"
                name="password"
                type="password"
                autoComplete="current-password"
                required
              />
            </SecretForm>
          ) : ways.confirmCode ? (
            <SecretForm name="code" confirm={ways.confirmCode} resolve={resolve}>
              <CodeField />
            </SecretForm>
          ) : (
            <>
              {ways.providers.length > 0 ? null : <NoProofMethod />}
              <DialogButtons />
            </>
          )}
        </div>
      </DialogContent>
    </Dialog>
  );
}

/** For a user whose provider is no longer configured. */
function NoProofMethod() {
  return (
    <p>
      You don’t have a password. Sign out and{" "}
      <Link href="/password" className="font-medium text-accent underline underline-offset-2">
        set one{" "}
      </Link>{" "}
      with a link that we email you.
    </p>
  );
}

/** @throws PasskeyRefused with the message of a refusal */
async function optionsOf(asked: Promise<ActionResult<SignInOptions>> | undefined) {
  const result = await asked;
  if (result?.outcome === "done") return result.value;
  throw new PasskeyRefused(result?.message ?? "This page is outdated. Reload it.");
}

type SecretFormProps = {
  /** The field with the secret. */
  name: string;
  confirm: (secret: string) => Promise<ActionResult>;
  resolve: (isProved: boolean) => void;
  children: ReactNode;
};

function SecretForm({ name, confirm, resolve, children }: SecretFormProps) {
  const [message, setMessage] = useState<string>();
  // Not a transition, because React would not end it before the action that waits for this result.
  const [isPending, setIsPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React events bubble through dialogs to their parents in the tree, which may handle them, too.
    event.stopPropagation();
    const secret = String(new FormData(event.currentTarget).get(name) ?? "");
    setIsPending(true);
    try {
      const result = await confirm(secret);
      if (result.outcome === "done") resolve(true);
      else setMessage(result.message);
    } catch {
      setMessage("The response was lost. Try again.");
    }
    setIsPending(false);
  }

  return (
    <form onSubmit={submit} className="space-y-4">
      {message ? <Notice>{message}</Notice> : null}
      {children}
      <DialogButtons>
        <Button type="submit" disabled={isPending}>
          {isPending ? "Confirming…" : "Confirm"}
        </Button>
      </DialogButtons>
    </form>
  );
}
