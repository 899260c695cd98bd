"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { buttonClass } from "./button";

/**
 * A panel from the right over the page that is open, for one item of its list. It has an address of its own (a parameter
 * of the page's), so it can be linked to: whoever draws it is there already, and closing it goes to `closeHref`.
 */
export function Drawer({
  title,
  description,
  closeHref,
  children,
}: {
  title: ReactNode;
  description?: ReactNode;
  closeHref: string;
  children: ReactNode;
}) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(true);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={setIsOpen}
      onOpenChangeComplete={(open) => {
        if (!open) router.push(closeHref, { scroll: false });
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-[#000000]/45 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup className="fixed top-0 right-0 h-dvh w-full max-w-2xl overflow-y-auto border-line border-l bg-surface p-5 text-ink shadow-xl transition duration-150 data-ending-style:translate-x-8 data-starting-style:translate-x-8 data-ending-style:opacity-0 data-starting-style:opacity-0 sm:p-6">
          <div className="mb-5 space-y-1 pr-10">
            <Base.Title className="break-words font-semibold text-lg tracking-tight">{title}</Base.Title>
            {description ? (
              <Base.Description render={<div />} className="text-muted">
                {description}
              </Base.Description>
            ) : null}
          </div>
          {children}
          <Base.Close className={buttonClass({ look: "quiet", size: "icon", className: "absolute top-4 right-4" })} aria-label="Close">
            <X className="size-4" aria-hidden="true" />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
