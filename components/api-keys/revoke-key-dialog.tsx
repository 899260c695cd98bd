"use client";

import { useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { Environment } from "@/prisma/generated/enums";
import type { RevokeKey } from "./states";

type Props = {
  apiKey: { id: string; name: string; hint: string };
  environment: Environment;
  /** In words, for a key that was used: someone may depend on it. */
  lastUsed: string | null;
  revokeKey: RevokeKey;
};

export function RevokeKeyDialog({ apiKey, environment, lastUsed, revokeKey }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const [message, setMessage] = useState<string>();
  const [isPending, startTransition] = useTransition();

  function revoke() {
    startTransition(async () => {
      const result = await revokeKey(environment, apiKey.id);
      if (result.outcome === "refused") {
        setMessage(result.message);
        return;
      }
      setIsOpen(false);
      toast.success(`“${apiKey.name}” is revoked.`);
    });
  }

  return (
    <Dialog open={isOpen} onOpenChange={setIsOpen}>
      <DialogTrigger className={buttonClass({ look: "danger-quiet", size: "small" })} aria-label={`Revoke ${apiKey.name}`}>
        Revoke
      </DialogTrigger>
      <DialogContent
        role="alertdialog"
        title={`Revoke “${apiKey.name}”?`}
        description={
          <>
            This key belongs to <EnvironmentName environment={environment} />.
          </>
        }
      >
        <div className="space-y-4">
          <p>
            Requests with <code className="break-all font-mono text-xs">{apiKey.hint}</code> fail within a second. This cannot be undone.
          </p>
          {lastUsed ? <Notice look="warn">It was last used {lastUsed}. Whatever uses it will stop working.</Notice> : null}
          {message ? <Notice>{message}</Notice> : null}
          <div className="flex justify-end gap-2">
            <DialogClose className={buttonClass({ look: "secondary" })}>Keep it</DialogClose>
            <Button look="danger" onClick={revoke} disabled={isPending}>
              {isPending ? "Revoking…" : "Revoke key"}
            </Button>
          </div>
        </div>
      </DialogContent>
    </Dialog>
  );
}
