"use client";

import { type ReactNode, useState } from "react";
import { toast } from "sonner";
import { Button, type ButtonVariant, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { EnvironmentName } from "./environment-name";
import { useProof } from "./proof-dialog";

type ConfirmDialogProps = {
  /**
   * What the button that opens it says; `label` says it at length where several such buttons stand
   * in one list.
   */
  trigger: ReactNode;
  label?: string;
  variant?: ButtonVariant;
  size?: "normal" | "small";
  /** The question. */
  title: string;
  /**
   * Where it happens; null for what concerns the organization, or the person, in both environments.
   */
  environment: Environment | null;
  isWide?: boolean;
  /** What will happen, with numbers. */
  children: ReactNode;
  confirm: string;
  pending: string;
  confirmVariant?: ButtonVariant;
  /** Why it cannot be done at the moment. */
  obstacle?: ReactNode;
  /** What it takes was not filled in yet. */
  isIncomplete?: boolean;
  /** Where it calls for a fresh proof, that is asked for on top of the question. */
  act: () => Promise<ActionResult<unknown> | ProofRequest>;
  /** Said once it is done. */
  done: string;
  onDone?: () => void;
  /** @returns what to say instead of the refusal's own sentence, if anything */
  onRefused?: (result: Extract<ActionResult, { outcome: "refused" }>) => string | undefined;
};

/**
 * Asks before something is done that cannot simply be taken back. Refused, it stays open and says
 * why.
 */
export function ConfirmDialog({
  trigger,
  label,
  variant = "danger-quiet",
  size = "normal",
  ...rest
}: ConfirmDialogProps) {
  const {
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
    onRefused,
  } = rest;
  const [message, setMessage] = useState<string | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState(() => setMessage(null));
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
      <DialogTrigger className={buttonClass({ variant, size })} aria-label={label}>
        {trigger}
      </DialogTrigger>
      <DialogContent
        role="alertdialog"
        title={title}
        isWide={isWide}
        description={
          environment ? (
            <>
              This happens in <EnvironmentName environment={environment} />.
            </>
          ) : (
            <>
              This applies to <EnvironmentName environment="test" /> and{" "}
              <EnvironmentName environment="live" />.
            </>
          )
        }
      >
        <div className="space-y-4">
          {message ? <Notice>{message}</Notice> : null}
          {children}
          {obstacle ? <Notice variant="warn">{obstacle}</Notice> : null}
          <div className="flex flex-wrap justify-end gap-2">
            <DialogClose className={buttonClass({ variant: "secondary" })}>Cancel</DialogClose>
            <Button
              variant={confirmVariant}
              onClick={run}
              disabled={isPending || isIncomplete || Boolean(obstacle)}
            >
              {isPending ? pending : confirm}
            </Button>
          </div>
        </div>
        {question}
      </DialogContent>
    </Dialog>
  );
}
