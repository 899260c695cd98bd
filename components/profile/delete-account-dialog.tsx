"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { TextField } from "@/components/ui/field";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type DeleteAccountDialogProps = {
  email: string;
  remove: () => Promise<ActionResult | ProofRequest>;
};

/** Requires typing the user's email address, so that no one does it by accident. */
export function DeleteAccountDialog({ email, remove }: DeleteAccountDialogProps) {
  const [typed, setTyped] = useState("");
  return (
    <ConfirmDialog
      trigger="Delete account…"
      title="Delete your account?"
      environment="account"
      confirm="Delete account"
      pending="Deleting…"
      isIncomplete={typed.trim().toLowerCase() !== email}
      act={remove}
      done="Your account was deleted."
      onDone={() => window.location.assign("/login")}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>You lose access to every organization immediately. This cannot be undone.</li>
        <li>Messages you wrote and API keys you created stay.</li>
        <li>Audit logs keep your id, and the name you had, in the entries of what you did.</li>
      </ul>
      <TextField
        label={`Type “${email}” to confirm`}
        name="confirmation"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
