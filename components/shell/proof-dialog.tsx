"use client";

import Link from "next/link";
import { createContext, type FormEvent, type ReactNode, useContext, useState } from "react";
import { ProviderProof } from "@/components/profile/provider-proof";
import { Button } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { ProviderChoice } from "@/lib/auth/providers";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type ProofMethods = {
  email: string;
  /** Null for a user without a password. */
  confirmPassword: ((password: string) => Promise<ActionResult>) | null;
  /** The providers with which the user can sign in again instead. */
  providers: ProviderChoice[];
};

const ProofContext = createContext<ProofMethods | null>(null);

/** Wraps the pages of the dashboard, so that any dialog can ask for a proof of identity. */
export function ProofProvider({ children, ...ways }: ProofMethods & { children: ReactNode }) {
  return <ProofContext value={ways}>{children}</ProofContext>;
}

type ProofPrompt = { what: string; resolve: (isProved: boolean) => void };

/**
 * For actions that run with `actWithProof`. `prove(() => action(…))` runs the action, asks the user
 * to confirm their identity if the action requires it, and runs it again. If the user closes the
 * dialog, the action is refused. Render `question`, the dialog, inside the dialog that the action
 * belongs to, but outside its form.
 *
 *     const { prove, question } = useProof();
 *     const result = await prove(() => createKey(form));
 */
export function useProof() {
  const [prompt, setPrompt] = useState<ProofPrompt | null>(null);

  async function prove<Value>(
    work: () => Promise<ActionResult<Value> | ProofRequest>,
  ): Promise<ActionResult<Value>> {
    const result = await work();
    if (result.outcome !== "proof-needed") return result;
    const isProved = await new Promise<boolean>((resolve) =>
      setPrompt({ what: result.what, resolve }),
    );
    setPrompt(null);
    if (!isProved)
      return {
        outcome: "refused",
        message: "Nothing was changed, because your identity was not confirmed.",
        errors: {},
      };
    return prove(work);
  }

  const question = prompt ? <ProofDialog what={prompt.what} resolve={prompt.resolve} /> : null;
  return { prove, question };
}

function ProofDialog({ what, resolve }: ProofPrompt) {
  const ways = useContext(ProofContext);
  if (!ways) throw new Error("useProof must be used inside a ProofProvider");
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
          {ways.confirmPassword ? (
            <PasswordForm email={ways.email} confirm={ways.confirmPassword} resolve={resolve} />
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

type PasswordFormProps = {
  email: string;
  confirm: (password: string) => Promise<ActionResult>;
  resolve: (isProved: boolean) => void;
};

function PasswordForm({ email, confirm, resolve }: PasswordFormProps) {
  const [message, setMessage] = useState<string>();
  // Not a transition, because React would not end it before the action that waits for this result.
  const [isPending, setIsPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React events bubble through dialogs to their parents in the tree, which may handle them, too.
    event.stopPropagation();
    const password = String(new FormData(event.currentTarget).get("password") ?? "");
    setIsPending(true);
    try {
      const result = await confirm(password);
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
      {/* Tells password managers which account this is. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      <DialogButtons>
        <Button type="submit" disabled={isPending}>
          {isPending ? "Confirming…" : "Confirm"}
        </Button>
      </DialogButtons>
    </form>
  );
}
