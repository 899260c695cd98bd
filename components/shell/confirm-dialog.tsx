"use client";

import dynamic from "next/dynamic";
import { DialogButton, type DialogButtonProps } from "@/components/ui/dialog-button";
import type { ConfirmQuestionProps } from "./confirm-question";

type ConfirmDialogProps = {
  /**
   * The text of the button that opens it. `label` is its full name where a list has several. A
   * dialog without a button is open when mounted, and has `onClosed`.
   */
  trigger?: ReactNode;
  label?: string;
  variant?: ButtonVariant;
  size?: "normal" | "small";
  /** The question. */
  title: string;
  /** The environment it happens in; null if it applies to the organization or user in both. */
  environment: Environment | null;
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
  onClosed?: () => void;
  /** @returns a message to show instead of the refusal's own, if any */
  onRefused?: (result: Refusal) => string | undefined;
};

/**
 * Asks before something that cannot easily be undone. If it is refused, the dialog stays open and
 * shows why.
 */
export function ConfirmDialog({
  trigger,
  label,
  variant = "danger-quiet",
  size,
  onClosed,
  ...question
}: Omit<DialogButtonProps, "onOpen" | "className"> & Omit<ConfirmQuestionProps, "onClosed">) {
  return (
    <DialogButton {...{ trigger, label, variant, size, load, onClosed }}>
      {(close) => <ConfirmQuestion {...question} onClosed={close} />}
    </DialogButton>
  );
}
