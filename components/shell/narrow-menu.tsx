"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { Menu as MenuIcon, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { buttonClass } from "@/components/ui/button";
import { PageLinks } from "./page-links";

/** The navigation of a narrow screen, behind a button. @param children what stands below the links. */
export function NarrowMenu({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Base.Root open={isOpen} onOpenChange={setIsOpen}>
      <Base.Trigger className={buttonClass({ look: "quiet", size: "icon" })} aria-label="Menu">
        <MenuIcon className="size-5" aria-hidden="true" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-[#000000]/45" />
        <Base.Popup className="fixed top-0 left-0 flex h-dvh w-72 max-w-[85vw] flex-col gap-5 overflow-y-auto border-line border-r bg-surface p-4 text-ink shadow-xl">
          <div className="flex items-center justify-between">
            <Base.Title className="px-2.5 font-semibold">Menu</Base.Title>
            <Base.Close className={buttonClass({ look: "quiet", size: "icon" })} aria-label="Close the menu">
              <X className="size-4" aria-hidden="true" />
            </Base.Close>
          </div>
          {children}
          <PageLinks onFollow={() => setIsOpen(false)} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
