"use client";

import { type FormEvent, useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import type { Find, Found, UpdateConversationAction } from "./action-types";

type Props = { isFirst: boolean; find: Find; update: UpdateConversationAction };

/** Links a conversation to a customer, if the API set none or the wrong one. */
export function CustomerPicker({ isFirst, find, update }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const [found, setFound] = useState<Found[]>();
  const [problem, setProblem] = useState<string>();
  const [isPending, startTransition] = useTransition();

  function close() {
    setIsOpen(false);
    setWasOpen(true);
    setFound(undefined);
    setProblem(undefined);
  }

  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget).get("q"));
    startTransition(async () => {
      const result = await find(q);
      setFound(result.outcome === "done" ? result.value : undefined);
      setProblem(result.outcome === "refused" ? result.message : undefined);
    });
  }

  function choose(customerId: string | null) {
    if (isPending) return;
    startTransition(async () => {
      const result = await update({ customerId });
      if (result.outcome === "refused") setProblem(result.message);
      else close();
    });
  }

  if (!isOpen) {
    return (
      <Button
        variant="secondary"
        size="small"
        className="mt-3"
        // The focus returns here from the buttons that disappear.
        autoFocus={wasOpen}
        onClick={() => setIsOpen(true)}
      >
        {isFirst ? "Link a customer" : "Change"}
      </Button>
    );
  }
  return (
    <div className="mt-3 space-y-2">
      <form onSubmit={search} className="space-y-2">
        <TextField
          label="Find a customer"
          name="q"
          type="search"
          autoFocus
          autoComplete="off"
          maxLength={200}
          error={problem}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="small" disabled={isPending}>
            {isPending ? "Looking…" : "Find"}
          </Button>
          <Button variant="quiet" size="small" onClick={close}>
            Cancel
          </Button>
          {isFirst ? null : (
            <Button
              variant="danger-quiet"
              size="small"
              className="ml-auto"
              disabled={isPending}
              onClick={() => choose(null)}
            >
              Unlink
            </Button>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {found?.length === 0 ? <p className="text-muted">No customers found.</p> : null}
        <ul className="space-y-1">
          {found?.map(({ id, name, detail }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => choose(id)}
                className="w-full rounded-lg border border-line px-2.5 py-1.5 text-left hover:bg-sunken"
              >
                <span dir="auto" className="block truncate font-medium">
                  {name}
                </span>
                <span dir="auto" className="block truncate text-muted text-xs">
                  {detail}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
