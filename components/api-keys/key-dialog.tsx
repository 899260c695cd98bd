"use client";

import { type ReactNode, useState } from "react";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { ShownKeyPanel } from "./shown-key";
import type { ShownKey } from "./states";

type KeyDialogProps = {
  title: string;
  description: ReactNode;
  /** What the dialog ended with. From then on it is left knowingly only: the key cannot be shown again. */
  shown: { key: ShownKey; title: string; description: ReactNode } | null;
  apiUrl: string;
  isPending: boolean;
  onClosed: () => void;
  children: ReactNode;
};

/** A dialog that is open from the beginning, and that may end with a key which is shown this once. */
export function KeyDialog({ title, description, shown, apiUrl, isPending, onClosed, children }: KeyDialogProps) {
  const [isOpen, setIsOpen] = useState(true);
  const [isSaved, setIsSaved] = useState(false);
  const [isWarned, setIsWarned] = useState(false);

  function requestClose() {
    if (isPending) return;
    if (shown && !isSaved) setIsWarned(true);
    else setIsOpen(false);
  }

  return (
    <Dialog
      open={isOpen}
      disablePointerDismissal
      onOpenChange={(open) => (open ? setIsOpen(true) : requestClose())}
      onOpenChangeComplete={(open) => {
        if (!open) onClosed();
      }}
    >
      <DialogContent title={shown?.title ?? title} description={shown?.description ?? description}>
        {shown ? (
          <ShownKeyPanel
            shown={shown.key}
            apiUrl={apiUrl}
            isSaved={isSaved}
            isWarned={isWarned}
            onSaved={setIsSaved}
            onDone={requestClose}
            onDiscard={() => setIsOpen(false)}
          />
        ) : (
          children
        )}
      </DialogContent>
    </Dialog>
  );
}
