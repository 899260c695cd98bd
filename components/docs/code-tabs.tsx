"use client";

import { Tabs } from "@base-ui/react/tabs";
import { type ReactNode, useSyncExternalStore } from "react";

// The language that was chosen last, for the samples of every page.
const storageName = "parlance.language";
let chosen: string | null = null;
const watchers = new Set<() => void>();

function readChosen(): string {
  try {
    chosen ??= localStorage.getItem(storageName) ?? "";
  } catch {
    // Some browsers offer no storage. The choice then lasts as long as the page.
    chosen ??= "";
  }
  return chosen;
}

function choose(name: string): void {
  chosen = name;
  try {
    localStorage.setItem(storageName, name);
  } catch {
    // As above.
  }
  for (const watcher of watchers) watcher();
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** The same code in several languages. The first one is shown until another is chosen. */
export function CodeTabs({
  tabs,
  label,
}: {
  tabs: { name: string; content: ReactNode }[];
  label: string;
}) {
  const wanted = useSyncExternalStore(watch, readChosen, () => "");
  const shown = tabs.find(({ name }) => name === wanted) ?? tabs[0];
  return (
    <Tabs.Root value={shown?.name} onValueChange={choose} className="my-5 first:mt-0 last:mb-0">
      <Tabs.List aria-label={label} className="mb-2 flex gap-1 overflow-x-auto p-0.5">
        {tabs.map(({ name }) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="h-8 shrink-0 whitespace-nowrap rounded-lg px-2.5 font-medium text-muted hover:bg-sunken hover:text-ink data-active:bg-accent-soft data-active:text-accent"
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name} keepMounted className="data-hidden:hidden">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
