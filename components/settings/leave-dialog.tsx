"use client";

import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type LeaveDialogProps = { organization: string; leave: () => Promise<ActionResult | ProofRequest> };

export function LeaveDialog({ organization, leave }: LeaveDialogProps) {
  return (
    <ConfirmDialog
      trigger="Leave…"
      label={`Leave ${organization}`}
      title={`Leave ${organization}?`}
      environment={null}
      confirm="Leave organization"
      pending="Leaving…"
      act={leave}
      done={`You left ${organization}.`}
      onDone={() => window.location.assign("/")}
    >
      <p>
        You lose all access immediately. To return, you need a new invitation. API keys that you
        created keep working.
      </p>
    </ConfirmDialog>
  );
}
