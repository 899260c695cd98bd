"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { TextField } from "@/components/ui/field";
import type { ActionResult } from "@/lib/platform/action-result";

type WipeDialogProps = { slug: string; wipe: (confirmation: string) => Promise<ActionResult> };

/** Requires typing the organization's slug, so that no one does it by accident. */
export function WipeDialog({ slug, wipe }: WipeDialogProps) {
  const [typed, setTyped] = useState("");
  return (
    <ConfirmDialog
      trigger="Wipe test data…"
      title="Wipe all test data?"
      environment="test"
      confirm="Wipe test data"
      pending="Starting the wipe…"
      isIncomplete={typed.trim() !== slug}
      act={() => wipe(typed)}
      done="Test data wipe started."
      onDone={() => setTyped("")}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          Deletes every conversation, customer, agent, knowledge base, event, delivery and request
          log of the test environment, and resets its charts and usage. This cannot be undone.
        </li>
        <li>Test keys, test webhooks and the audit log stay. Webhooks are not notified.</li>
        <li>Live data is not affected.</li>
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
