"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { RadioList } from "@/components/ui/radio-list";
import { type BacklogChoice, backlogChoices, recoveredPerSecond } from "@/lib/deliveries/backlog";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { formatHeldDeliveries } from "./format-count";

type EnableWebhookProps = {
  environment: Environment;
  /** How many deliveries are held. */
  held: number;
  enable: (held: BacklogChoice) => Promise<ActionResult | ProofRequest>;
};

const choices: Record<BacklogChoice, { label: string; note: string }> = {
  RESUME: {
    label: "Send deliveries",
    note: `Oldest first, at ${recoveredPerSecond} per second. Each starts a new retry schedule.`,
  },
  DISCARD: {
    label: "Discard deliveries",
    note: "They are no longer sent automatically. You can still resend each one.",
  },
  KEEP: {
    label: "Decide later",
    note: "Each delivery stays held for 30 days after it was created.",
  },
};

/** Enables a webhook again, and asks what to do with its held deliveries. */
export function EnableWebhook({ environment, held, enable }: EnableWebhookProps) {
  const [choice, setChoice] = useState<BacklogChoice>("RESUME");
  return (
    <ConfirmDialog
      trigger="Enable again…"
      variant="primary"
      title="Enable this webhook?"
      environment={environment}
      confirm="Enable webhook"
      pending="Enabling…"
      confirmVariant="primary"
      act={() => enable(held > 0 ? choice : "KEEP")}
      done="Webhook enabled."
    >
      <p>New events are sent from now on, and the failure count resets to 0.</p>
      {held > 0 ? (
        <RadioList
          legend={`${formatHeldDeliveries(held)}.`}
          options={backlogChoices.map((value) => ({ value, ...choices[value] }))}
          value={choice}
          onChange={setChoice}
        />
      ) : null}
    </ConfirmDialog>
  );
}
