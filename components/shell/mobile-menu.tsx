"use client";

import { Menu as MenuIcon, X } from "lucide-react";
import { type ReactNode, useId, useRef } from "react";
import { buttonClass } from "@/components/ui/button";
import { PageLinks } from "./page-links";

/**
 * The navigation of narrow screens, behind a button.
 * @param children rendered above the links
 */
export function MobileMenu({ children }: { children: ReactNode }) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className={buttonClass({ variant: "quiet", size: "icon" })}
        aria-label="Menu"
      >
        <MenuIcon className="size-5" aria-hidden="true" />
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="fixed inset-y-0 left-0 m-0 h-dvh max-h-none w-72 max-w-[85vw] overflow-y-auto border-line border-r bg-surface p-4 text-ink shadow-xl backdrop:bg-[#000000]/45"
      >
        <div className="flex flex-col gap-5">
          <div className="flex items-center justify-between">
            <span className="px-2.5 font-semibold">Menu</span>
            <button
              type="button"
              popoverTarget={id}
              popoverTargetAction="hide"
              className={buttonClass({ variant: "quiet", size: "icon" })}
              aria-label="Close menu"
            >
              <X className="size-4" aria-hidden="true" />
            </button>
          </div>
          {children}
          <PageLinks onFollow={() => panel.current?.hidePopover()} />
        </div>
      </div>
    </>
  );
}
