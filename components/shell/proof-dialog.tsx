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
