"use client";

import { useState, useTransition } from "react";

type Options = {
  /** Called when the user opens or closes it, to reset its input and messages. */
  onChange?: (isOpen: boolean) => void;
  /** For a dialog without a trigger: it is open when mounted, and this is called once it has closed. */
  onClosed?: () => void;
};

/** The state of a dialog that runs an action. It cannot be closed while the action is pending. */
export function useDialogState({ onChange, onClosed }: Options) {
  const [isOpen, setIsOpen] = useState(onClosed !== undefined);
  const [isPending, startTransition] = useTransition();
  const dialog = {
    open: isOpen,
    onOpenChange: (open: boolean) => {
      if (isPending) return;
      setIsOpen(open);
      onChange?.(open);
    },
    onOpenChangeComplete: (open: boolean) => {
      if (!open) onClosed?.();
    },
  };
  return { dialog, close: () => setIsOpen(false), isPending, startTransition };
}
