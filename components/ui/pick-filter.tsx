"use client";

import { X } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState, useTransition } from "react";
import type { ActionResult } from "@/lib/platform/action-result";
import { Button } from "./button";

export type Choice = { id: string; name: string; detail: string };

type PickFilterProps = {
  label: string;
  placeholder: string;
  /** The name of the object that the URL selects, if any. */
  chosen: string | null;
  find: (q: string) => Promise<ActionResult<Choice[]>>;
  onPick: (id: string) => void;
};

/** Waits until the user stops typing. */
const typingMs = 200;

/** Finds an object by its name, for a filter that needs its id. */
export function PickFilter({ label, placeholder, chosen, find, onPick }: PickFilterProps) {
  const id = useId();
  const options = useRef<HTMLUListElement>(null);
  const latest = useRef("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [found, setFound] = useState<{ q: string; choices: Choice[] } | null>(null);
  const [isPending, startTransition] = useTransition();

  function search(q: string) {
    latest.current = q;
    clearTimeout(timer.current);
    if (q.trim() === "") return setFound(null);
    timer.current = setTimeout(() => {
      startTransition(async () => {
        const result = await find(q.trim()).catch(() => null);
        // The result of an earlier text may arrive later.
        if (latest.current === q)
          setFound({ q, choices: result?.outcome === "done" ? result.value : [] });
      });
    }, typingMs);
  }

  function move(event: KeyboardEvent<HTMLElement>) {
    if (event.key === "Escape") return setFound(null);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(options.current?.querySelectorAll("button") ?? [])];
    if (!step || buttons.length === 0) return;
    event.preventDefault();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons.at((at + step) % buttons.length)?.focus();
  }

  if (chosen !== null)
    return (
      <div className="space-y-1">
        <p className="text-muted text-xs">{label}</p>
        <p className="flex h-8 items-center justify-between gap-1 rounded-lg border border-line-strong bg-surface pl-2.5">
          <span dir="auto" className="min-w-0 truncate">
            {chosen}
          </span>
          <Button
            variant="quiet"
            size="tiny"
            aria-label={`Clear ${label}: ${chosen}`}
            onClick={() => onPick("")}
          >
            <X className="size-3.5" aria-hidden="true" />
          </Button>
        </p>
      </div>
    );

  return (
    <search
      aria-label={label}
      className="relative block space-y-1"
      onKeyDown={move}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setFound(null);
      }}
    >
      <label htmlFor={id} className="block text-muted text-xs">
        {label}
      </label>
      <input
        id={id}
        type="search"
        dir="auto"
        autoComplete="off"
        maxLength={200}
        placeholder={placeholder}
        aria-busy={isPending}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter chooses the first one, and does not send the form around it.
          if (event.key !== "Enter") return;
          event.preventDefault();
          // Not one that an earlier text found.
          const [first] = found?.q === latest.current ? found.choices : [];
          if (first) onPick(first.id);
        }}
        className="h-8 w-full rounded-lg border border-line-strong bg-surface px-2.5 text-ink placeholder:text-muted max-md:text-base"
      />
      <div role="status">
        {found ? (
          <ul
            ref={options}
            aria-label={`Matches for ${label}`}
            // Where a click does not focus a button, the list would close before the click.
            onMouseDown={(event) => event.preventDefault()}
            className="absolute inset-x-0 z-10 mt-1 rounded-lg border border-line bg-surface p-1 shadow-lg"
          >
            {found.choices.length === 0 ? (
              <li className="px-2 py-1.5 text-muted">No matches.</li>
            ) : null}
            {found.choices.map((choice) => (
              <li key={choice.id}>
                <button
                  type="button"
                  onClick={() => onPick(choice.id)}
                  className="w-full rounded-md px-2 py-1.5 text-left hover:bg-sunken focus-visible:bg-sunken"
                >
                  <span dir="auto" className="block truncate">
                    {choice.name}
                  </span>{" "}
                  <span dir="auto" className="block truncate text-muted text-xs">
                    {choice.detail}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </search>
  );
}
