"use client";

import { useState, useTransition } from "react";

/**
 * The state of a dialog that runs an action. It cannot be closed while the action is pending.
 * @param onChange called when the user opens or closes it, to clear its messages
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
