"use client";

import { Button } from "./button";
import { Dialog, DialogButtons, DialogContent } from "./dialog";

type DiscardDialogProps = {
  isOpen: boolean;
  title?: string;
  question?: string;
  keep?: string;
  discard?: string;
  onKeep: () => void;
  onDiscard: () => void;
};

/** Asks before input is lost that the user has not saved. */
export function DiscardDialog({
  isOpen,
  title = "Discard your changes?",
  question = "Your changes are not saved.",
  keep = "Keep editing",
  discard = "Discard changes",
  onKeep,
  onDiscard,
}: DiscardDialogProps) {
  return (
    <Dialog open={isOpen} onOpenChange={(open) => !open && onKeep()}>
      <DialogContent role="alertdialog" title={title} description={question}>
        <DialogButtons cancel={keep}>
          <Button variant="danger" onClick={onDiscard}>
            {discard}
          </Button>
        </DialogButtons>
      </DialogContent>
    </Dialog>
  );
}
