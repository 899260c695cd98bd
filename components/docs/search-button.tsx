"use client";

import { Search as Sign } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useCommandKey, useSlashKey } from "@/components/ui/command-key";

// Most visits never open it.
const Search = dynamic(() => import("./search").then((module) => module.Search), { ssr: false });

/** Opens the search, like Ctrl+K, ⌘K or the slash. */
export function SearchButton() {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);

  function show(isShown: boolean) {
    setWasOpened(true);
    setIsOpen(isShown);
  }

  useCommandKey(() => {
    show(!isOpen);
    return true;
  });
  useSlashKey(() => show(true));

  return (
    <>
      <button
        type="button"
        onClick={() => show(true)}
        className="flex h-8 items-center gap-2 rounded-lg border border-line px-2.5 text-muted hover:bg-sunken hover:text-ink sm:w-52"
      >
        <Sign className="size-4" aria-hidden="true" />
        <span className="max-sm:sr-only">Search</span>
        <kbd className="ml-auto rounded border border-line px-1 font-sans text-xs max-sm:hidden">
          Ctrl K
        </kbd>
      </button>
      {wasOpened ? <Search isOpen={isOpen} onOpenChange={setIsOpen} /> : null}
    </>
  );
}
