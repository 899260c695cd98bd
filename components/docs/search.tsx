"use client";

import type MiniSearch from "minisearch";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { CommandItem, CommandPalette } from "@/components/ui/command-palette";
import { loadIndex, type SearchEntry, searchDocs } from "./search-index";

type SearchProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void };

/** Searches the texts of all pages: guides, operations, errors and events. */
export function Search({ isOpen, onOpenChange }: SearchProps) {
  const router = useRouter();
  const [text, setText] = useState("");
  const [index, setIndex] = useState<MiniSearch<SearchEntry> | "failed">();

  useEffect(() => {
    fetch("/docs/search.json")
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then((json) => setIndex(loadIndex(json)))
      .catch(() => setIndex("failed"));
  }, []);

  function change(willOpen: boolean) {
    // Each search starts with an empty field.
    if (!willOpen) setText("");
    onOpenChange(willOpen);
  }

  function go(href: string) {
    change(false);
    router.push(href);
  }

  // Opens only once the index is loaded, because text typed earlier would find nothing.
  if (!index) return null;
  const results = index === "failed" ? [] : searchDocs(index, text);
  return (
    <CommandPalette
      label="Search the documentation"
      placeholder="Search guides, operations, errors and events"
      empty={
        index === "failed"
          ? "The search index could not be loaded. Refresh the page."
          : text.trim() === ""
            ? "Type a word, for example snooze, whsec or Retry-After."
            : "No results. Try fewer words."
      }
      text={text}
      onTextChange={setText}
      isOpen={isOpen}
      onOpenChange={change}
      isFiltered
    >
      {results.map(({ id, title, page }) => (
        <CommandItem key={id} value={id} onSelect={() => go(id)}>
          <span className="block truncate text-ink">{title}</span>
          <span className="block truncate text-xs">{page}</span>
        </CommandItem>
      ))}
    </CommandPalette>
  );
}
