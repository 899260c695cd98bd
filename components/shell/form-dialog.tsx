"use client";

import dynamic from "next/dynamic";
import { DialogButton, type DialogButtonProps } from "@/components/ui/dialog-button";
import type { FormPanelProps, FormPanel as Panel } from "./form-panel";

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
  ...form
}: DialogButtonProps & Omit<FormPanelProps<Value>, "onClosed">) {
  return (
    <DialogButton {...{ trigger, label, variant, size, className, load, onOpen, onClosed }}>
      {(close) => <FormPanel {...form} onClosed={close} />}
    </DialogButton>
  );
}
