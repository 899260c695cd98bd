"use client";

import { Dialog, DialogContent } from "./dialog";
import type { Shortcut } from "./shortcuts";

type ShortcutsDialogProps = {
  shortcuts: Shortcut[];
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  isOn: boolean;
  turn: (on: boolean) => void;
};

/** The list of shortcuts, and the switch that turns them off. */
export function ShortcutsDialog({
  shortcuts,
  isOpen,
  onOpenChange,
  isOn,
  turn,
}: ShortcutsDialogProps) {
  return (
    <Dialog open={isOpen} onOpenChange={onOpenChange}>
      <DialogContent title="Keyboard shortcuts" description="Shortcuts are off while you type.">
        <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-4 gap-y-2">
          {[...shortcuts, { keys: "?", does: "Show this list" }].map(({ keys, does }) => (
            <div key={keys} className="contents">
              <dt>
                {keys.split(" ").map((key) => (
                  <kbd
                    key={key}
                    className="mr-1 inline-block rounded border border-line-strong bg-sunken px-1.5 py-0.5 font-sans text-xs"
                  >
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <label className="mt-5 flex items-center gap-2 border-line border-t pt-4">
          <input
            type="checkbox"
            checked={isOn}
            onChange={(event) => turn(event.currentTarget.checked)}
          />
          Enable single-key shortcuts in this browser
        </label>
      </DialogContent>
    </Dialog>
  );
}
