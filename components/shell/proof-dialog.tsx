"use client";

import dynamic from "next/dynamic";
import { createContext, type ReactNode, useContext, useState } from "react";
import type { SignInOptions } from "@/components/profile/passkey-prompt";
import type { ProviderChoice } from "@/lib/auth/providers";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

export type ProofMethods = {
  email: string;
  /** Null for a user without a password. */
  confirmPassword: ((password: string) => Promise<ActionResult>) | null;
  /** For a user with a second factor: with a code from their authenticator app, or a recovery code. */
  confirmCode: ((code: string) => Promise<ActionResult>) | null;
  passkey: {
    ask: () => Promise<ActionResult<SignInOptions>>;
    confirm: (response: unknown) => Promise<ActionResult>;
  } | null;
  /** The providers with which the user can sign in again instead. */
  providers: ProviderChoice[];
};

// Loaded on demand, because every page can ask and few do.
const ProofQuestion = dynamic(
  () => import("./proof-question").then((module) => module.ProofQuestion),
  { ssr: false },
);

const ProofContext = createContext<ProofMethods | null>(null);

/** Wraps the pages of the dashboard, so that any dialog can ask for a proof of identity. */
export function ProofProvider({ children, ...ways }: ProofMethods & { children: ReactNode }) {
  return <ProofContext value={ways}>{children}</ProofContext>;
}

export type ProofPrompt = { what: string; resolve: (isProved: boolean) => void };

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
  const ways = useContext(ProofContext);
  const [prompt, setPrompt] = useState<ProofPrompt | null>(null);

  if (!ways) throw new Error("useProof must be used inside a ProofProvider");

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

  const question = prompt ? <ProofQuestion ways={ways} {...prompt} /> : null;
  return { prove, question };
}
