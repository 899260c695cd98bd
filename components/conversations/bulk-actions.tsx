"use client";

import dynamic from "next/dynamic";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import type { BulkBar as Bar } from "./bulk-bar";

// Loaded on demand, because most visits select nothing.
const BulkBar = dynamic(() => import("./bulk-bar").then((module) => module.BulkBar), {
  ssr: false,
});

type BulkActionsProps = Pick<ComponentProps<typeof Bar>, "members" | "change" | "undo"> & {
  /** The list, with checkboxes named `selected`. */
  children: ReactNode;
};

/** Changes the conversations that are selected in the list together. */
export function BulkActions({ children, ...actions }: BulkActionsProps) {
  const form = useRef<HTMLFormElement>(null);
  const [selected, setSelected] = useState<string[]>([]);
  // The row that gets the focus once the bar and its buttons are gone.
  const returnTo = useRef<number>(undefined);

  // The checkboxes keep their own state, so that the list stays rendered on the server.
  function readSelection() {
    const now = form.current ? new FormData(form.current).getAll("selected").map(String) : [];
    setSelected((before) => (before.join() === now.join() ? before : now));
  }

  // A refresh or another tab takes rows away, and a box can be checked before the page is ready.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are in the children.
  useEffect(() => {
    readSelection();
  }, [children]);

  // The changed rows can leave the list a moment after the bar, so this runs for both.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are in the children.
  useEffect(() => {
    if (selected.length > 0 || returnTo.current === undefined) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    const boxes = boxesOf(form.current);
    (boxes[returnTo.current] ?? boxes.at(-1) ?? form.current)?.focus();
  }, [selected, children]);

  function clear() {
    const boxes = boxesOf(form.current);
    returnTo.current = boxes.findIndex(({ checked }) => checked);
    // Not with `reset`, which React does not notice: it would then miss the next click.
    for (const box of boxes) box.checked = false;
    setSelected([]);
  }

  return (
    <form
      ref={form}
      onChange={readSelection}
      onSubmit={(event) => event.preventDefault()}
      aria-label="Selected conversations"
      // Gets the focus when the last row leaves the list.
      tabIndex={-1}
      className="outline-none"
    >
      {selected.length > 0 ? <BulkBar selected={selected} clear={clear} {...actions} /> : null}
      {children}
    </form>
  );
}

const boxesOf = (form: HTMLFormElement | null) => [
  ...(form?.querySelectorAll<HTMLInputElement>("[name=selected]") ?? []),
];
