"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import { type ReactNode, useEffect, useRef } from "react";

type CommandPaletteProps = {
  label: string;
  placeholder: string;
  /** Shown when nothing matches. */
  empty: string;
  text: string;
  onTextChange: (text: string) => void;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** The children are already those that match, best first. */
  isFiltered?: boolean;
  children: ReactNode;
};

/** A list of places to go to, found by a part of their names. */
export function CommandPalette({
  label,
  placeholder,
  empty,
  text,
  onTextChange,
  isOpen,
  onOpenChange,
  isFiltered = false,
  children,
}: CommandPaletteProps) {
  const list = useRef<HTMLDivElement>(null);

  // After typing, cmdk still reports the previous selection, which may be gone, because it checks
  // before the list is rendered again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the text triggers it.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const chosen = list.current?.querySelector("[aria-selected=true]");
      const naming =
        list.current?.closest("[cmdk-root]")?.querySelectorAll("[aria-activedescendant]") ?? [];
      for (const element of naming) element.setAttribute("aria-activedescendant", chosen?.id ?? "");
      list.current?.scrollTo({ top: 0 });
    });
    return () => cancelAnimationFrame(frame);
  }, [text]);

  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-[#000000]/45" />
        <Dialog.Popup className="fixed top-[15dvh] left-1/2 z-20 w-[calc(100vw-1.5rem)] max-w-lg -translate-x-1/2 overflow-hidden rounded-2xl border border-line bg-surface text-ink shadow-xl">
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          <Command label={label} filter={fits} shouldFilter={!isFiltered} loop>
            <Command.Input
              value={text}
              onValueChange={onTextChange}
              placeholder={placeholder}
              className="h-12 w-full border-line border-b bg-transparent px-4 text-base outline-none placeholder:text-muted"
            />
            <Command.List ref={list} className="max-h-[50dvh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-6 text-center text-muted">{empty}</Command.Empty>
              {children}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Matches entries that contain every word. Matches near the start come first. */
function fits(value: string, text: string): number {
  const name = value.toLowerCase();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => name.includes(word)) ? 1 / (1 + name.indexOf(words[0] ?? "")) : 0;
}

type CommandItemProps = {
  value: string;
  onSelect: () => void;
  icon?: ReactNode;
  children: ReactNode;
};

/** @param value the text that is searched. It must be unique. */
export function CommandItem({ value, onSelect, icon, children }: CommandItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-3 py-1 text-muted data-[selected=true]:bg-sunken data-[selected=true]:text-ink"
    >
      {icon}
      <span className="min-w-0">{children}</span>
    </Command.Item>
  );
}
