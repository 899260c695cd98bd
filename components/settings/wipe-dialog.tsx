"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { TextField } from "@/components/ui/field";
import type { ActionResult } from "@/lib/platform/action-result";

type WipeDialogProps = { slug: string; wipe: (confirmation: string) => Promise<ActionResult> };

/** Takes the organization's slug, typed, so that nobody does it by a slip. */
export function WipeDialog({ slug, wipe }: WipeDialogProps) {
  const [typed, setTyped] = useState("");
  return (
    <ConfirmDialog
      trigger="Wipe test data…"
      title="Wipe all test data?"
      environment="test"
      confirm="Wipe test data"
      pending="Asking for it…"
      isIncomplete={typed.trim() !== slug}
      act={() => wipe(typed)}
      done="The test data is being wiped."
      onDone={() => setTyped("")}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          Every conversation, customer, agent, knowledge base, event, delivery and request log of
          the test environment is deleted, and its charts and usage figures begin anew. This cannot
          be undone.
        </li>
        <li>Test keys, test webhooks and the audit log stay. No webhook is told.</li>
        <li>Nothing live is touched.</li>
      </ul>
      <TextField
        label={`Type “${slug}”`}
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
