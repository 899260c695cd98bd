"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { TextField } from "@/components/ui/field";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type DeleteOrganizationDialogProps = {
  name: string;
  slug: string;
  remove: (confirmation: string) => Promise<ActionResult | ProofRequest>;
};

/** Requires typing the organization's slug, so that no one does it by accident. */
export function DeleteOrganizationDialog({ name, slug, remove }: DeleteOrganizationDialogProps) {
  const [typed, setTyped] = useState("");
  return (
    <ConfirmDialog
      trigger="Delete organization…"
      title={`Delete ${name}?`}
      environment={null}
      confirm="Delete organization"
      pending="Deleting…"
      isIncomplete={typed.trim() !== slug}
      act={() => remove(typed)}
      done={`${name} was deleted.`}
      onDone={() => window.location.assign("/")}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>API keys stop working immediately, and nothing more is sent to webhooks.</li>
        <li>
          Every member loses access. Conversations, customers, files, agents, knowledge, logs, usage
          and the audit log are deleted. This cannot be undone.
        </li>
        <li>Accounts of members stay. All members are notified by email.</li>
      </ul>
      <TextField
        label={`Type “${slug}” to confirm`}
        name="confirmation"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
