"use client";

import {
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { Button, type ButtonVariant } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import type { ActionResult, ProofRequest, Refusal } from "@/lib/platform/action-result";
import { useProof } from "./proof-dialog";

type FormDialogProps<Value> = {
  /** The `DialogTrigger`. A dialog without one is open when mounted, and has `onClosed`. */
  trigger?: ReactElement;
  title: string;
  description: ReactNode;
  submit: string;
  pending: string;
  submitVariant?: ButtonVariant;
  /** Keeps the buttons visible while the form scrolls. */
  isLong?: boolean;
  /** Whether a click outside leaves it open. */
  disablePointerDismissal?: boolean;
  /** Whether a field shows a problem, so that the form is not sent. */
  isInvalid?: boolean;
  /** If it requires a recent proof of identity, the user is asked for it in a dialog on top. */
  send: (form: FormData) => Promise<ActionResult<Value> | ProofRequest>;
  onDone: (value: Value, form: FormData) => void;
  /** Called when the user opens it, to reset the state of fields outside. */
  onOpen?: () => void;
  onClosed?: () => void;
  /** The path of the resource that a conflict is with, without its id. */
  existingPath?: string;
  /** Renders the fields, given their errors by name. They are mounted each time it opens. */
  children: (errors: Record<string, string>) => ReactNode;
};

/** A form in a dialog. If it is refused, the input stays, and the dialog shows why. */
export function FormDialog<Value>({
  trigger,
  title,
  description,
  submit,
  pending,
  submitVariant,
  isLong,
  disablePointerDismissal,
  isInvalid,
  send,
  onDone,
  onOpen,
  onClosed,
  existingPath,
  children,
}: FormDialogProps<Value>) {
  const form = useRef<HTMLFormElement>(null);
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState({
    onChange: (isOpen) => {
      setRefused(null);
      if (isOpen) onOpen?.();
    },
    onClosed,
  });
  const { prove, question } = useProof();

  useEffect(() => {
    if (refused) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refused]);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    // Not the form's `action`, because React resets a form after its action.
    event.preventDefault();
    if (isPending || isInvalid) return;
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const result = await prove(() => send(form));
      if (result.outcome === "refused") return setRefused(result);
      close();
      onDone(result.value, form);
    });
  }

  return (
    <Dialog {...dialog} disablePointerDismissal={disablePointerDismissal}>
      {trigger}
      <DialogContent title={title} description={description}>
        <form ref={form} onSubmit={onSubmit} className="space-y-4">
          <RefusalNotice refused={refused} existingPath={existingPath} />
          {children(refused?.errors ?? {})}
          <DialogButtons isSticky={isLong}>
            <Button type="submit" variant={submitVariant} disabled={isPending}>
              {isPending ? pending : submit}
            </Button>
          </DialogButtons>
        </form>
        {question}
      </DialogContent>
    </Dialog>
  );
}
