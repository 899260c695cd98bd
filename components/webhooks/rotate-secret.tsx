"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { Notice } from "@/components/ui/notice";
import { RadioList } from "@/components/ui/radio-list";
import type { Environment } from "@/prisma/generated/enums";
import type { NewSecret, RotateSecret as Rotate } from "./action-types";

// Loaded while the form is open, and awaited before a secret exists, as it is shown only once.
const loadNewSecret = () => import("./new-secret-dialog").then((module) => module.NewSecretDialog);
const NewSecretDialog = dynamic(loadNewSecret, { ssr: false });

const overlaps = [
  {
    value: 86_400,
    label: "For 24 hours",
    note: "Every delivery carries both signatures. Deploy the new secret in the meantime.",
  },
  {
    value: 3_600,
    label: "For an hour",
    note: "The same, for receivers that you can update quickly.",
  },
  {
    value: 0,
    label: "No overlap",
    note: "Every older secret expires immediately. Choose this if a secret has leaked.",
  },
];

type RotateSecretProps = {
  webhookId: string;
  environment: Environment;
  hint: string;
  /** Two secrets already sign. A third one is rejected, unless the older ones expire. */
  isOverlapping: boolean;
  rotate: Rotate;
};

export function RotateSecret({
  webhookId,
  environment,
  hint,
  isOverlapping,
  rotate,
}: RotateSecretProps) {
  const [overlap, setOverlap] = useState(86_400);
  const [shown, setShown] = useState<NewSecret | null>(null);

  return (
    <>
      <FormDialog
        trigger="Rotate secret…"
        variant="secondary"
        size="small"
        title="Rotate the signing secret?"
        description={
          <>
            <code className="font-mono text-xs">{hint}</code> signs in{" "}
            <EnvironmentName environment={environment} /> now. A new one takes its place.
          </>
        }
        submit={overlap === 0 ? "Rotate and expire older secrets" : "Rotate secret"}
        pending="Rotating…"
        submitVariant={overlap === 0 ? "danger" : "primary"}
        send={async () => {
          await loadNewSecret();
          return rotate(overlap);
        }}
        onDone={setShown}
        apiCall={() => ({
          operationId: "rotateWebhookSecret",
          ids: { webhookId },
          body: { overlapSeconds: overlap },
        })}
        onOpen={() => {
          setOverlap(isOverlapping ? 0 : 86_400);
          void loadNewSecret();
        }}
      >
        {() => (
          <>
            {isOverlapping ? (
              <Notice variant="warn">
                Two secrets are already active. You can start another overlap once the older one has
                expired.
              </Notice>
            ) : null}
            <RadioList
              legend="Keep signing with the old secret too"
              options={overlaps.map((option) => ({
                ...option,
                isDisabled: isOverlapping && option.value > 0,
              }))}
              value={overlap}
              onChange={setOverlap}
            />
          </>
        )}
      </FormDialog>
      {shown ? (
        <NewSecretDialog
          title="Copy the new secret now"
          shown={shown}
          environment={environment}
          onClosed={() => setShown(null)}
        />
      ) : null}
    </>
  );
}
