"use client";

import { useState, useTransition } from "react";

/**
 * Whether a dialog is open in which something is done that takes a moment: until that has ended it
 * stays open.
 * @param onChange whenever it was opened or closed by hand, to forget what was said in it
 */
export function useDialogState(onChange: () => void) {
  const [isOpen, setIsOpen] = useState(false);
  const [isPending, startTransition] = useTransition();
  const dialog = {
    open: isOpen,
    onOpenChange: (open: boolean) => {
      if (isPending) return;
      setIsOpen(open);
      onChange();
    },
  };
  return { dialog, close: () => setIsOpen(false), isPending, startTransition };
}
