"use client";

import { useRouter } from "next/navigation";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type ChangeEmailProps = {
  email: string;
  /** The address that waits for its confirmation. */
  requested: string | null;
  request: (email: string) => Promise<ActionResult | ProofRequest>;
};

export function ChangeEmail({ email, requested, request }: ChangeEmailProps) {
  const router = useRouter();
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="min-w-0 break-words">{email}</span>
        <FormDialog
          trigger="Change email…"
          variant="secondary"
          size="small"
          title="Change your email address"
          description="We email the new address a link. Your address changes when you open it in this browser."
          submit="Send link"
          pending="Sending…"
          send={(form) => request(String(form.get("email") ?? ""))}
          onDone={(_value, form) => {
            toast.success(`Link sent to ${String(form.get("email"))}.`);
            router.refresh();
          }}
        >
          {(errors) => (
            <TextField
              label="New email address"
              name="email"
              type="email"
              autoComplete="email"
              required
              maxLength={254}
              error={errors.email}
            />
          )}
        </FormDialog>
      </div>
      {requested ? (
        <p className="break-words text-muted">
          Waiting for the link sent to {requested}. It works for 24 hours.
        </p>
      ) : null}
    </div>
  );
}
