"use client";

import { type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Button, type ButtonVariant } from "./button";
import { focusHeading, headingAbove } from "./focus-heading";
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

/**
 * A button that mounts a dialog, which is loaded then because most visits to a page open none. If
 * the dialog removes the button, for example with its row, the heading above gets the focus.
 */
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
  const button = useRef<HTMLButtonElement>(null);
  const opened = useRef({ isOpen, heading: null as HTMLElement | null });
  opened.current.isOpen = isOpen;

  // Runs while the button is still in the page.
  useLayoutEffect(
    () => () => {
      const { isOpen, heading } = opened.current;
      // Not if the user has moved on in the meantime.
      if (!isOpen && document.activeElement !== button.current) return;
      // After the dialog has tried to return the focus to the button.
      requestAnimationFrame(() => heading?.isConnected && focusHeading(heading));
    },
    [],
  );

  function open({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    // A closing dialog returns the focus to where it was. Safari does not focus a clicked button.
    currentTarget.focus();
    opened.current.heading = headingAbove(currentTarget);
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
          ref={button}
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
