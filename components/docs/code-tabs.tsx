"use client";

import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

/** The same code in several languages. */
export function CodeTabs({
  tabs,
  label,
}: {
  tabs: { name: string; content: ReactNode }[];
  label: string;
}) {
  return (
    <Tabs.Root defaultValue={tabs[0]?.name} className="my-5 first:mt-0 last:mb-0">
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
