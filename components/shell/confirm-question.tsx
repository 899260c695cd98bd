"use client";

import { type ReactNode, useState } from "react";
import { Button, type ButtonVariant } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useDialogState } from "@/components/ui/use-dialog-state";
import type { ActionResult, ProofRequest, Refusal } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { EnvironmentName } from "./environment-name";
import { useProof } from "./proof-dialog";

export type ConfirmQuestionProps = {
  /** The question. */
  title: string;
  /**
   * The environment it happens in; null if it applies to the organization in both, and "account" if
   * it applies to the user, who may have no organization.
   */
  environment: Environment | "account" | null;
  isWide?: boolean;
  /** The consequences, with numbers. */
  children: ReactNode;
  confirm: string;
  pending: string;
  confirmVariant?: ButtonVariant;
  /** Why it cannot be done right now. */
  obstacle?: ReactNode;
  /** Whether required input is still missing. */
  isIncomplete?: boolean;
  /** If it requires a recent proof of identity, the user is asked for it in a dialog on top. */
  act: () => Promise<ActionResult<unknown> | ProofRequest>;
  /** The toast after success. */
  done: string;
  onDone?: () => void;
  onClosed: () => void;
  /** @returns a message to show instead of the refusal's own, if any */
  onRefused?: (result: Refusal) => string | undefined;
};

/** The dialog of `ConfirmDialog`. It is open when mounted. */
export function ConfirmQuestion({
  title,
  environment,
  isWide,
  children,
  confirm,
  pending,
  confirmVariant = "danger",
  obstacle,
  isIncomplete,
  act,
  done,
  onDone,
  onClosed,
  onRefused,
}: ConfirmQuestionProps) {
  const [message, setMessage] = useState<string | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState({
    onChange: () => setMessage(null),
    onClosed,
  });
  const { prove, question } = useProof();

  function run() {
    setMessage(null);
    startTransition(async () => {
      const result = await prove(act);
      if (result.outcome === "refused") {
        setMessage(onRefused?.(result) ?? result.message);
        return;
      }
      close();
      toast.success(done);
      onDone?.();
    });
  }

  return (
    <Dialog {...dialog}>
      <DialogContent
        role="alertdialog"
        title={title}
        isWide={isWide}
        description={<Scope environment={environment} />}
      >
        <div className="space-y-4">
          {message ? <Notice>{message}</Notice> : null}
          {children}
          {obstacle ? <Notice variant="warn">{obstacle}</Notice> : null}
          <DialogButtons>
            <Button
              variant={confirmVariant}
              onClick={run}
              disabled={isPending || isIncomplete || Boolean(obstacle)}
            >
              {isPending ? pending : confirm}
            </Button>
          </DialogButtons>
        </div>
        {question}
      </DialogContent>
    </Dialog>
  );
}

function Scope({ environment }: Pick<ConfirmQuestionProps, "environment">) {
  if (environment === "account") return "This applies to your account.";
  if (environment)
    return (
      <>
        This happens in <EnvironmentName environment={environment} />.
      </>
    );
  return (
    <>
      This applies to <EnvironmentName environment="test" /> and{" "}
      <EnvironmentName environment="live" />.
    </>
  );
}
