"use client";

import { UseKeyInDocs } from "@/components/docs/use-key-in-docs";
import { EnvironmentName } from "@/components/shell/environment-name";
import { SecretDialog } from "@/components/shell/secret-dialog";
import { CopyBlock } from "@/components/ui/copy";
import { atTime } from "./describe-key";
import { exampleRequest } from "./example-request";
import type { RevealedKey } from "./types";

/** Shows a new key, once. */
export function RevealKeyDialog({
  shown,
  apiUrl,
  onClosed,
}: {
  shown: RevealedKey;
  apiUrl: string;
  onClosed: () => void;
}) {
  return (
    <SecretDialog
      title={shown.replaced ? "Copy the new key now" : "Copy your key now"}
      description={
        <>
          “{shown.name}” now works in <EnvironmentName environment={shown.environment} />.{" "}
          {shown.replaced && fate(shown.replaced)}
        </>
      }
      name="API key"
      secret={shown.key}
      note="Parlance stores only a hash of the key, so it can’t be shown again."
      onClosed={onClosed}
    >
      {(keep) => (
        <>
          <div className="space-y-1.5">
            <h3 className="font-medium">For your .env file</h3>
            <CopyBlock
              text={`PARLANCE_API_KEY=${shown.key}`}
              label="Copy the .env line"
              onCopied={keep}
            />
          </div>
          <div className="space-y-1.5">
            <h3 className="font-medium">Try it</h3>
            <CopyBlock
              text={exampleRequest(apiUrl, shown.key, shown.scopes)}
              label="Copy the curl command"
              onCopied={keep}
            />
          </div>
          {shown.environment === "test" ? <UseKeyInDocs apiKey={shown.key} /> : null}
        </>
      )}
    </SecretDialog>
  );
}

/** What happens to the key that this one replaces. */
function fate({ hint, endsAt }: NonNullable<RevealedKey["replaced"]>): string {
  const end = new Date(endsAt);
  return end > new Date()
    ? `The old key, ${hint}, works until ${atTime(end)}.`
    : `The old key, ${hint}, no longer works.`;
}
