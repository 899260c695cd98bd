"use client";

import dynamic from "next/dynamic";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button, type ButtonVariant } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import type { ActionResult, ProofRequest, Refusal } from "@/lib/platform/action-result";
import type { ApiCall } from "./api-call";
import { lostResponse } from "./lost-response";
import { useProof } from "./proof-dialog";

// Loaded with a dialog that has such a button, when it opens.
const ShowApiCall = dynamic(() => import("./show-api-call").then((module) => module.ShowApiCall), {
  ssr: false,
});

export type FormPanelProps<Value> = {
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
  onClosed: () => void;
  /** The path of the resource that a conflict is with, without its id. */
  existingPath?: string;
  /** The request of the API that does the same as the form. */
  apiCall?: (form: FormData) => ApiCall;
  /** Renders the fields, given their errors by name. They are mounted each time it opens. */
  children: (errors: Record<string, string>) => ReactNode;
};

/** The dialog of `FormDialog`, which is open when mounted. */
export function FormPanel<Value>({
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
  onClosed,
  existingPath,
  apiCall,
  children,
}: FormPanelProps<Value>) {
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { dialog, close, isPending, startTransition, onInput, discardQuestion } = useDialogState({
    onChange: () => setRefused(null),
    onClosed,
  });
  const { errors, correctEdited } = useFieldErrors(refused);
  const { prove, question } = useProof();

  function onEdit(event: FormEvent<HTMLFormElement>) {
    onInput();
    correctEdited(event);
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    // Not the form's `action`, because React resets a form after its action.
    event.preventDefault();
    if (isPending || isInvalid) return;
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const result = await prove(() => send(form)).catch(lostResponse);
      if (result.outcome === "refused") return setRefused(result);
      close();
      onDone(result.value, form);
    });
  }

  return (
    <Dialog {...dialog} disablePointerDismissal={disablePointerDismissal}>
      <DialogContent title={title} description={description}>
        <form onSubmit={onSubmit} onInput={onEdit} className="space-y-4">
          <RefusalNotice refused={refused} existingPath={existingPath} />
          {children(errors)}
          <DialogButtons
            isSticky={isLong}
            aside={apiCall ? <ShowApiCall call={apiCall} /> : undefined}
          >
            <Button type="submit" variant={submitVariant} disabled={isPending}>
              {isPending ? pending : submit}
            </Button>
          </DialogButtons>
        </form>
        {question}
        {discardQuestion}
      </DialogContent>
    </Dialog>
  );
}
