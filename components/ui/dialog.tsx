"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { buttonClass } from "./button";

export const Dialog = Base.Root;
export const DialogClose = Base.Close;

/** Scrolls its own content, so that all of it is reachable on a small screen. */
export function DialogContent({
  title,
  description,
  isWide = false,
  children,
  ...rest
}: { title: string; description: ReactNode; isWide?: boolean; children: ReactNode } & Pick<
  ComponentProps<typeof Base.Popup>,
  "role" | "initialFocus" | "finalFocus"
>) {
  return (
    <Base.Portal>
      {/* A dialog on top of another one dims that one, too. */}
      <Base.Backdrop
        forceRender
        className="fixed inset-0 bg-[#000000]/45 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
      />
      <Base.Popup
        className={`fixed top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[calc(100vw-1.5rem)] ${isWide ? "max-w-3xl" : "max-w-xl"} -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-2xl border border-line bg-surface p-5 text-ink shadow-xl transition duration-150 data-ending-style:scale-98 data-starting-style:scale-98 data-ending-style:opacity-0 data-starting-style:opacity-0 sm:p-6`}
        {...rest}
      >
        <div className="mb-5 space-y-1 pr-10">
          <Base.Title className="font-semibold text-lg tracking-tight">{title}</Base.Title>
          <Base.Description className="text-muted">{description}</Base.Description>
        </div>
        {children}
        {/* Last, so that the content of the dialog gets the focus first. */}
        <Base.Close
          className={buttonClass({
            variant: "quiet",
            size: "icon",
            className: "absolute top-4 right-4",
          })}
          aria-label="Close"
        >
          <X className="size-4" aria-hidden="true" />
        </Base.Close>
      </Base.Popup>
    </Base.Portal>
  );
}

/** The buttons at the end of a dialog, after the one that closes it. */
export function DialogButtons({
  cancel = "Cancel",
  isSticky = false,
  aside,
  children,
}: {
  cancel?: string;
  /** Stays visible at the bottom while a long dialog scrolls. */
  isSticky?: boolean;
  /** At the other side of the row. */
  aside?: ReactNode;
  children?: ReactNode;
}) {
  const sticky =
    "sticky -bottom-5 -mx-5 -mb-5 border-line border-t bg-surface px-5 py-3.5 sm:-bottom-6 sm:-mx-6 sm:-mb-6 sm:px-6";
  return (
    <div className={`flex flex-wrap justify-end gap-2 ${isSticky ? sticky : ""}`}>
      {aside ? <span className="mr-auto">{aside}</span> : null}
      <DialogClose className={buttonClass({ variant: "secondary" })}>{cancel}</DialogClose>
      {children}
    </div>
  );
}
