"use client";

import { useState, useTransition } from "react";
import { DiscardDialog } from "./discard-dialog";

type Options = {
  /** Called when the user opens or closes it, to reset its input and messages. */
  onChange?: (isOpen: boolean) => void;
  /** For a dialog without a trigger: it is open when mounted, and this is called once it has closed. */
  onClosed?: () => void;
};

/** Keys and clicks that close a dialog, and are often meant for something else. */
const accidents: readonly string[] = ["escape-key", "outside-press"];

/**
 * The state of a dialog that runs an action. It cannot be closed while the action is pending. If the
 * user has typed something, Escape and clicks outside ask before they close it: pass `onInput` to
 * the form, and render `discardQuestion` inside the dialog, but outside the form.
 */
export function useDialogState({ onChange, onClosed }: Options) {
  const [isOpen, setIsOpen] = useState(onClosed !== undefined);
  const [hasInput, setHasInput] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isPending, startTransition] = useTransition();

  function change(open: boolean) {
    setHasInput(false);
    setIsAsking(false);
    setIsOpen(open);
    onChange?.(open);
  }

  const dialog = {
    open: isOpen,
    onOpenChange: (open: boolean, { reason }: { reason: string }) => {
      if (isPending) return;
      if (!open && hasInput && accidents.includes(reason)) setIsAsking(true);
      else change(open);
    },
    onOpenChangeComplete: (open: boolean) => {
      if (!open) onClosed?.();
    },
  };
  const discardQuestion = (
    <DiscardDialog
      isOpen={isAsking}
      title="Discard your input?"
      question="Nothing has been sent yet."
      discard="Discard input"
      onKeep={() => setIsAsking(false)}
      onDiscard={() => change(false)}
    />
  );
  return {
    dialog,
    close: () => {
      setHasInput(false);
      setIsOpen(false);
    },
    isPending,
    startTransition,
    onInput: () => setHasInput(true),
    discardQuestion,
  };
}
