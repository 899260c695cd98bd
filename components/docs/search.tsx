"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { CommandItem, CommandPalette } from "@/components/ui/command-palette";
import type { SearchEntry } from "./search-index";

type SearchProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void };

/**
 * Finds a page of the documentation, a heading, an operation, a kind of error or an event by its
 * name.
 */
export function Search({ isOpen, onOpenChange }: SearchProps) {
  const router = useRouter();
  const [text, setText] = useState("");
  const [entries, setEntries] = useState<SearchEntry[]>();

  useEffect(() => {
    fetch("/docs/search.json")
      .then((response) => response.json())
      .then(setEntries, () => setEntries([]));
  }, []);

  function go(href: string) {
    onOpenChange(false);
    setText("");
    router.push(href);
  }

  // Opens only once the entries are loaded, because text typed earlier would select none of them.
  if (!entries) return null;
  return (
    <CommandPalette
      label="Search the documentation"
      placeholder="A word from a title"
      empty={
        entries.length > 0
          ? "No matching titles."
          : "The search index could not be loaded. Refresh the page."
      }
      text={text}
      onTextChange={setText}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
    >
      {entries.map(({ title, page, href }) => (
        <CommandItem key={href} value={`${title} ${page} ${href}`} onSelect={() => go(href)}>
          <span className="block truncate text-ink">{title}</span>
          <span className="block truncate text-xs">{page}</span>
        </CommandItem>
      ))}
    </CommandPalette>
  );
}
