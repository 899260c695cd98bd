"use client";

import { useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof-dialog";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent } from "@/components/ui/dialog";
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
  const [isOpen, setIsOpen] = useState(true);
  const [message, setMessage] = useState<string>();
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();

  function revoke() {
    startTransition(async () => {
      const result = await prove(() => revokeKey(apiKey.id));
      if (result.outcome === "refused") {
        setMessage(result.message);
        return;
      }
      setIsOpen(false);
      toast.success(`API key “${apiKey.name}” revoked.`);
    });
  }

  return (
    <Dialog
      open={isOpen}
      onOpenChange={setIsOpen}
      onOpenChangeComplete={(open) => !open && onClosed()}
    >
      <DialogContent
        role="alertdialog"
        title={`Revoke “${apiKey.name}”?`}
        description={
          <>
            This key works in <EnvironmentName environment={environment} />.
          </>
        }
      >
        <div className="space-y-4">
          <p>
            Requests with <code className="break-all font-mono text-xs">{apiKey.hint}</code> fail
            within a second. This cannot be undone.
          </p>
          {apiKey.lastUsed ? (
            <Notice variant="warn">{usage(apiKey)} Programs that use it will stop working.</Notice>
          ) : null}
          {message ? <Notice>{message}</Notice> : null}
          <div className="flex justify-end gap-2">
            <DialogClose className={buttonClass({ variant: "secondary" })}>Cancel</DialogClose>
            <Button variant="danger" onClick={revoke} disabled={isPending}>
              {isPending ? "Revoking…" : "Revoke key"}
            </Button>
          </div>
        </div>
        {question}
      </DialogContent>
    </Dialog>
  );
}

function usage({ requestsLastDay, lastUsed }: KeySummary): string {
  if (requestsLastDay === 0)
    return `It was last used ${lastUsed}, with no requests in the last 24 hours.`;
  const requests =
    requestsLastDay === 1 ? "one request" : `${requestsLastDay.toLocaleString("en")} requests`;
  return `It was used for ${requests} in the last 24 hours, most recently ${lastUsed}.`;
}
