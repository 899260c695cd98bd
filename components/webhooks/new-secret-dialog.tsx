"use client";

import type { ReactNode } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { SecretDialog } from "@/components/shell/secret-dialog";
import { CopyBlock } from "@/components/ui/copy";
import { Link } from "@/components/ui/link";
import type { Environment } from "@/prisma/generated/enums";
import type { NewSecret } from "./action-types";

type NewSecretDialogProps = {
  title: string;
  shown: NewSecret;
  environment: Environment;
  /** Code that verifies deliveries. Without it, the dialog links to the guide. */
  snippets?: ReactNode;
  onClosed: () => void;
};

/** Shows a webhook's signing secret, once, and how to use it. */
export function NewSecretDialog({
  title,
  shown,
  environment,
  snippets,
  onClosed,
}: NewSecretDialogProps) {
  return (
    <SecretDialog
      title={title}
      description={
        <>
          Signs deliveries to <span className="break-all font-medium text-ink">{shown.url}</span> in{" "}
          <EnvironmentName environment={environment} />.
        </>
      }
      name="signing secret"
      secret={shown.secret}
      note="It is stored encrypted, used only for signing, and never shown again."
      onClosed={onClosed}
    >
      {(keep) => (
        <>
          <div className="space-y-1.5">
            <h3 className="font-medium">For your receiver’s .env file</h3>
            <CopyBlock
              text={`PARLANCE_WEBHOOK_SECRET=${shown.secret}`}
              label="Copy the .env line"
              onCopied={keep}
            />
          </div>
          {snippets ? (
            <div className="min-w-0 space-y-1.5">
              <h3 className="font-medium">Verify deliveries</h3>
              {snippets}
            </div>
          ) : (
            <p className="text-muted">
              <Link
                href="/docs/verify-signatures"
                target="_blank"
                className="text-accent underline underline-offset-2"
              >
                How to verify signatures
              </Link>
              , with one secret or with two.
            </p>
          )}
        </>
      )}
    </SecretDialog>
  );
}
