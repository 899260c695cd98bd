"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { ChevronLeft, ChevronRight, type LucideIcon, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button, buttonClass } from "./button";
import type { DrawerProps, Neighbor } from "./drawer";
import { refuseOffline } from "./refuse-offline";

/** The panel of `Drawer`. */
export function DrawerPanel({ title, description, closeHref, neighbors, children }: DrawerProps) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(true);
  const popup = useRef<HTMLDivElement>(null);

  /** Replaces this item in the history, so that Back closes the panel. */
  function go({ href }: Neighbor) {
    if (href && !refuseOffline()) router.replace(href, { scroll: false });
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const neighbor =
      event.key === "ArrowLeft"
        ? neighbors?.previous
        : event.key === "ArrowRight"
          ? neighbors?.next
          : undefined;
    const isTyping = (event.target as HTMLElement).closest("input, textarea, select, [role=tab]");
    // React also bubbles key events from dialogs opened inside this panel. Ignore them.
    const isElsewhere = !event.currentTarget.contains(event.target as Node);
    if (
      !neighbor ||
      isTyping ||
      isElsewhere ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey
    )
      return;
    event.preventDefault();
    go(neighbor);
  }

  return (
    <Base.Root
      open={isOpen}
      onOpenChange={setIsOpen}
      onOpenChangeComplete={(open) => {
        if (open) return;
        if (refuseOffline()) setIsOpen(true);
        else router.push(closeHref, { scroll: false });
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-[#000000]/45 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          // Focuses the panel rather than its first button, because users read it before they act.
          initialFocus={popup}
          onKeyDown={onKeyDown}
          className="fixed top-0 right-0 h-dvh w-full max-w-2xl overflow-y-auto border-line border-l bg-surface p-5 text-ink shadow-xl outline-none transition duration-150 data-ending-style:translate-x-8 data-starting-style:translate-x-8 data-ending-style:opacity-0 data-starting-style:opacity-0 sm:p-6"
        >
          <div className={`mb-5 space-y-1 ${neighbors ? "pr-30" : "pr-10"}`}>
            <Base.Title className="break-words font-semibold text-lg tracking-tight">
              {title}
            </Base.Title>
            {description ? (
              <Base.Description render={<div />} className="text-muted">
                {description}
              </Base.Description>
            ) : null}
          </div>
          {children}
          <div className="absolute top-4 right-4 flex">
            {neighbors ? (
              <>
                <NeighborButton neighbor={neighbors.previous} go={go} Icon={ChevronLeft} />
                <NeighborButton neighbor={neighbors.next} go={go} Icon={ChevronRight} />
              </>
            ) : null}
            <Base.Close
              className={buttonClass({ variant: "quiet", size: "icon" })}
              aria-label="Close"
            >
              <X className="size-4" aria-hidden="true" />
            </Base.Close>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

type NeighborButtonProps = {
  neighbor: Neighbor;
  go: (neighbor: Neighbor) => void;
  Icon: LucideIcon;
};

/** Stays visible and focused at the end of the list, so the arrow keys continue to work. */
function NeighborButton({ neighbor, go, Icon }: NeighborButtonProps) {
  return (
    <Button
      variant="quiet"
      size="icon"
      onClick={() => go(neighbor)}
      disabled={neighbor.href === null}
      aria-label={neighbor.name}
      title={neighbor.name}
    >
      <Icon className="size-4" aria-hidden="true" />
    </Button>
  );
}
