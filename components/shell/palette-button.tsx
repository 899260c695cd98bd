"use client";

import { Search } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { buttonClass } from "@/components/ui/button";
import { useCommandKey } from "@/components/ui/command-key";
import { refuseOffline } from "@/components/ui/refuse-offline";
import type { Role } from "@/prisma/generated/enums";
import type { FindObjects } from "./find-objects";

// Loaded on demand, because most visits never open it.
const Palette = dynamic(() => import("./palette").then((module) => module.Palette), { ssr: false });

/** Opens the palette, like Ctrl+K or ⌘K. */
export function PaletteButton({
  base,
  role,
  find,
  isMobile = false,
}: {
  base: string;
  role: Role;
  find: FindObjects;
  isMobile?: boolean;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);

  /** Without a connection, it cannot be loaded. */
  const isMissing = () => !wasOpened && refuseOffline();

  function open() {
    if (isMissing()) return;
    setWasOpened(true);
    setIsOpen(true);
  }

  useCommandKey(() => {
    // The shell has two of these buttons. The hidden one ignores the shortcut.
    if (window.matchMedia("(min-width: 48rem)").matches === isMobile) return false;
    if (isMissing()) return true;
    setWasOpened(true);
    setIsOpen((before) => !before);
    return true;
  });

  return (
    <>
      {isMobile ? (
        <button
          type="button"
          onClick={open}
          className={buttonClass({ variant: "quiet", size: "icon" })}
          aria-label="Search"
        >
          <Search className="size-5" aria-hidden="true" />
        </button>
      ) : (
        <button
          type="button"
          onClick={open}
          className="flex h-9 w-full items-center gap-2 rounded-lg border border-line px-2.5 text-muted hover:bg-sunken hover:text-ink"
        >
          <Search className="size-4" aria-hidden="true" />
          Search or go to…
          <kbd className="ml-auto rounded border border-line px-1 font-sans text-xs">Ctrl K</kbd>
        </button>
      )}
      {wasOpened ? (
        <Palette base={base} role={role} find={find} isOpen={isOpen} onOpenChange={setIsOpen} />
      ) : null}
    </>
  );
}
