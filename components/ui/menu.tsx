"use client";

import { Menu as Base } from "@base-ui/react/menu";
import type { ComponentProps, ReactNode } from "react";

const itemClass =
  "flex w-full cursor-pointer select-none items-center gap-2 rounded-md px-2.5 py-1.5 text-left outline-none data-disabled:cursor-default data-disabled:opacity-60 data-highlighted:bg-sunken";

/** A button that opens a list of things to do. */
export function Menu({
  trigger,
  label,
  className,
  children,
}: {
  trigger: ReactNode;
  label?: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <Base.Root>
      <Base.Trigger className={className} aria-label={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="start" className="z-10">
          <Base.Popup className="min-w-52 rounded-xl border border-line bg-surface p-1 text-ink shadow-lg outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({ look, ...rest }: ComponentProps<typeof Base.Item> & { look?: "danger" }) {
  return <Base.Item className={`${itemClass} ${look === "danger" ? "text-danger" : ""}`} {...rest} />;
}

export function MenuSeparator() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}
