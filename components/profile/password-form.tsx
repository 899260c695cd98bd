"use client";

import { type FormEvent, useRef, useState, useTransition } from "react";
import { useProof } from "@/components/shell/proof-dialog";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { toast } from "@/components/ui/toast";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { KnownEmail, NewPasswordField } from "./account-fields";

type PasswordFormProps = {
  email: string;
  /** A user who signs in with GitHub or Google may have none. */
  hasPassword: boolean;
  minimumLength: number;
  change: (form: FormData) => Promise<ActionResult | ProofRequest>;
};

export function PasswordForm({ email, hasPassword, minimumLength, change }: PasswordFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [result, setResult] = useState<ActionResult | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();
  const refused = result?.outcome === "refused" ? result : null;
  const { errors, correctEdited } = useFieldErrors(refused);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    startTransition(async () => {
      const changed = await prove(() => change(sent));
      setResult(changed);
      if (changed.outcome !== "done") return;
      form.current?.reset();
      toast.success(
        `Password ${hasPassword ? "changed" : "set"}. Every other device was signed out.`,
      );
    });
  }

  return (
    <>
      <form ref={form} onSubmit={submit} onInput={correctEdited} className="max-w-md space-y-4">
        <RefusalNotice refused={refused} />
        <KnownEmail email={email} />
        {hasPassword ? (
          <TextField
            label="Current password"
            name="current"
            type="password"
            autoComplete="current-password"
            required
            error={errors.current}
          />
        ) : null}
        <NewPasswordField
          label="New password"
          minimumLength={minimumLength}
          error={errors.password}
        />
        <Button type="submit" variant="secondary" disabled={isPending}>
          {isPending ? "Changing…" : hasPassword ? "Change password" : "Set password"}
        </Button>
        <p className="text-muted">This signs out every other device immediately.</p>
      </form>
      {question}
    </>
  );
}
