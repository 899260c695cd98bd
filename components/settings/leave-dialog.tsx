"use client";

import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type LeaveDialogProps = { organisation: string; leave: () => Promise<ActionResult | ProofRequest> };

export function LeaveDialog({ organisation, leave }: LeaveDialogProps) {
  return (
    <ConfirmDialog
      trigger="Leave…"
      label={`Leave ${organisation}`}
      title={`Leave ${organisation}?`}
      environment={null}
      confirm="Leave organisation"
      pending="Leaving…"
      act={leave}
      done={`You have left ${organisation}.`}
      onDone={() => window.location.assign("/")}
    >
      <p>
        You lose all access at once, and an owner or admin would have to invite you again. Keys that
        you made keep working.
      </p>
    </ConfirmDialog>
  );
}
