"use client";

import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Notice } from "@/components/ui/notice";
import type { Environment } from "@/prisma/generated/enums";
import type { KeyActions, KeySummary } from "./types";

type Props = {
  apiKey: KeySummary;
  environment: Environment;
  revokeKey: KeyActions["revoke"];
  onClosed: () => void;
};

export function RevokeKeyDialog({ apiKey, environment, revokeKey, onClosed }: Props) {
  return (
    <ConfirmDialog
      title={`Revoke “${apiKey.name}”?`}
      environment={environment}
      confirm="Revoke key"
      pending="Revoking…"
      act={() => revokeKey(apiKey.id)}
      done={`API key “${apiKey.name}” revoked.`}
      onClosed={onClosed}
    >
      <p>
        Requests with <code className="break-all font-mono text-xs">{apiKey.hint}</code> fail within
        a second. This cannot be undone.
      </p>
      {apiKey.lastUsed ? (
        <Notice variant="warn">{usage(apiKey)} Programs that use it will stop working.</Notice>
      ) : null}
    </ConfirmDialog>
  );
}

function usage({ requestsLastDay, lastUsed }: KeySummary): string {
  if (requestsLastDay === 0)
    return `It was last used ${lastUsed}, with no requests in the last 24 hours.`;
  const requests =
    requestsLastDay === 1 ? "one request" : `${requestsLastDay.toLocaleString("en")} requests`;
  return `It was used for ${requests} in the last 24 hours, most recently ${lastUsed}.`;
}
