"use client";

import { type MouseEvent, type ReactNode, useState } from "react";
import { Button, type ButtonVariant } from "./button";
import { toast } from "./toast";

export type DialogButtonProps = {
  /** The text of the button. Without one, the dialog is open when mounted. */
  trigger?: ReactNode;
  /** The button's full name, where a list has several. */
  label?: string;
  variant?: ButtonVariant;
  size?: "normal" | "small" | "icon";
  className?: string;
  /** Called when the user opens it, to reset the state of fields outside. */
  onOpen?: () => void;
  onClosed?: () => void;
};

/** After an update of the installation, an open page no longer finds its code. */
export const notLoaded = "The dialog could not be loaded. Reload the page and try again.";

type Dialog = {
  load: () => Promise<unknown>;
  children: (close: () => void) => ReactNode;
};

/** A button that mounts a dialog, which is loaded then because most visits to a page open none. */
export function DialogButton({
  trigger,
  label,
  load,
  onOpen,
  onClosed,
  children,
  ...look
}: DialogButtonProps & Dialog) {
  const [isOpen, setIsOpen] = useState(!trigger);

  function open({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    // A closing dialog returns the focus to where it was. Safari does not focus a clicked button.
    currentTarget.focus();
    // If it were mounted without its code, the error would take the page, with what was typed in it.
    void load().then(
      () => {
        onOpen?.();
        setIsOpen(true);
      },
      () => toast.error(notLoaded),
    );
  }

  return (
    <>
      {trigger ? (
        <Button
          {...look}
          aria-label={label}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={open}
        >
          {trigger}
        </Button>
      ) : null}
      {isOpen
        ? children(() => {
            setIsOpen(false);
            onClosed?.();
          })
        : null}
    </>
  );
}
