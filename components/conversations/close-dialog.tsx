"use client";

import { EnvironmentName } from "@/components/shell/environment-name";
import { Button } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import type { Environment } from "@/prisma/generated/enums";

type CloseDialogProps = {
  isOpen: boolean;
  isPending: boolean;
  environment: Environment;
  onOpenChange: (isOpen: boolean) => void;
  close: () => void;
};

/** Asks before a conversation is closed, which is final. */
export function CloseDialog({
  isOpen,
  isPending,
  environment,
  onOpenChange,
  close,
}: CloseDialogProps) {
  return (
    <Dialog open={isOpen} onOpenChange={onOpenChange}>
      <DialogContent
        role="alertdialog"
        title="Close this conversation?"
        description={
          <>
            It is a conversation in <EnvironmentName environment={environment} />.
          </>
        }
      >
        <p className="mb-5">
          Closing is final: no one can write in it or reopen it. The only exception is a message
          from a program that asks for it. A customer who returns starts a new conversation. To
          continue later, resolve it instead.
        </p>
        <DialogButtons cancel="Keep it">
          <Button variant="danger" onClick={close} disabled={isPending}>
            {isPending ? "Closing…" : "Close conversation"}
          </Button>
        </DialogButtons>
      </DialogContent>
    </Dialog>
  );
}
