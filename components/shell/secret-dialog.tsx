"use client";

import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";

type SecretDialogProps = {
  title: string;
  description: ReactNode;
  /** For example "signing secret". */
  name: string;
  secret: string;
  /** Why it is not shown again. */
  note: string;
  /** Gets the focus after it was closed. By default, what had it before. */
  finalFocus?: RefObject<HTMLElement | null>;
  /** Called after it was closed. The secret must then leave the page. */
  onClosed: () => void;
  /** Ways to use the secret. They call `keep` when the user copies it. */
  children: (keep: () => void) => ReactNode;
};

/**
 * Shows a secret once. It warns before closing until the user copied it or said that they saved it.
 */
export function SecretDialog({
  title,
  description,
  name,
  secret,
  note,
  finalFocus,
  onClosed,
  children,
}: SecretDialogProps) {
  const [isOpen, setIsOpen] = useState(true);
  const [isKept, setIsKept] = useState(false);
  const [isWarned, setIsWarned] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const keep = () => setIsKept(true);
  const close = () => (isKept ? setIsOpen(false) : setIsWarned(true));

  useEffect(() => {
    if (isKept) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", hold);
    return () => window.removeEventListener("beforeunload", hold);
  }, [isKept]);

  return (
    <Dialog
      open={isOpen}
      disablePointerDismissal
      onOpenChange={(open) => !open && close()}
      onOpenChangeComplete={(open) => !open && onClosed()}
    >
      <DialogContent
        title={title}
        description={description}
        initialFocus={input}
        {...(finalFocus && { finalFocus })}
      >
        <div className="space-y-5">
          <div className="space-y-2">
            <div className="flex gap-2">
              <input
                ref={input}
                readOnly
                aria-label={capitalized(name)}
                value={secret}
                onFocus={(event) => event.currentTarget.select()}
                onCopy={keep}
                className="h-9 w-full min-w-0 rounded-lg border border-line-strong bg-sunken px-3 font-mono text-xs"
              />
              <CopyButton
                text={secret}
                label={`Copy the ${name}`}
                variant="primary"
                onCopied={keep}
              >
                Copy
              </CopyButton>
            </div>
            <p className="text-muted">{note}</p>
          </div>
          {children(keep)}
          {isWarned && !isKept ? (
            <Notice variant="warn">
              <p>
                You haven’t copied the {name} yet. Parlance can’t show the {name} again.
              </p>
              <button
                type="button"
                onClick={() => setIsOpen(false)}
                className="mt-1 font-medium underline underline-offset-2"
              >
                Close without copying
              </button>
            </Notice>
          ) : null}
          <div className="flex flex-wrap items-center justify-between gap-3">
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={isKept}
                onChange={(event) => setIsKept(event.currentTarget.checked)}
              />
              I have saved the {name}
            </label>
            <Button onClick={close}>Done</Button>
          </div>
        </div>
      </DialogContent>
    </Dialog>
  );
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
