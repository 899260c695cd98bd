"use client";

import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type SecondFactorRequirementProps = {
  isRequired: boolean;
  /** How many members have no second factor. */
  without: number;
  change: (isRequired: boolean) => Promise<ActionResult | ProofRequest>;
};

export function SecondFactorRequirement({
  isRequired,
  without,
  change,
}: SecondFactorRequirementProps) {
  return (
    <ConfirmDialog
      trigger={isRequired ? "Stop requiring…" : "Require…"}
      label={isRequired ? "Stop requiring a second factor" : "Require a second factor"}
      variant="secondary"
      title={isRequired ? "Stop requiring a second factor?" : "Require a second factor?"}
      environment={null}
      confirm={isRequired ? "Stop requiring" : "Require second factor"}
      confirmVariant="primary"
      pending="Saving…"
      act={() => change(!isRequired)}
      done={isRequired ? "A second factor is now optional." : "A second factor is now required."}
    >
      <p>
        {isRequired
          ? "Members can then sign in without one. Those who have one keep it."
          : without === 0
            ? "Every member has one already. New members must set one up before they get in."
            : `${without === 1 ? "One member has" : `${without} members have`} none and must set one up before they get in again. API keys keep working.`}
      </p>
    </ConfirmDialog>
  );
}
