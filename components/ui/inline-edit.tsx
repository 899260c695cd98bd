"use client";

import { type FormEvent, useState, useTransition } from "react";
import type { ActionResult } from "@/lib/platform/action-result";
import { Button } from "./button";
import { SelectField, TextField } from "./field";
import { toast } from "./toast";

type Save = (value: string) => Promise<ActionResult>;

/**
 * Saves as soon as an option is chosen. If the server rejects it, reverts and shows why. It stays
 * enabled meanwhile, because a disabled one loses the focus.
 */
export function AutoSaveSelect({
  label,
  value,
  options,
  save,
}: {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  save: Save;
}) {
  const [chosen, setChosen] = useState<string>();
  const [isPending, startTransition] = useTransition();

  function choose(next: string) {
    if (isPending) return;
    setChosen(next);
    startTransition(async () => {
      const result = await save(next);
      if (result.outcome === "refused") toast.error(result.message);
      setChosen(undefined);
    });
  }

  return (
    <SelectField
      label={label}
      value={chosen ?? value}
      aria-busy={isPending}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </SelectField>
  );
}

/** Saves with Enter or its button, which appears once the text has changed. */
export function InlineTextField({
  label,
  value,
  maxLength,
  placeholder,
  save,
}: {
  label: string;
  value: string;
  maxLength: number;
  placeholder?: string;
  save: Save;
}) {
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();
  const [isPending, startTransition] = useTransition();
  const isChanged = typed !== undefined && typed !== value;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed === undefined || !isChanged) return;
    startTransition(async () => {
      const result = await save(typed.trim());
      setError(result.outcome === "refused" ? result.message : undefined);
      if (result.outcome === "done") setTyped(undefined);
    });
  }

  return (
    <form onSubmit={submit} className="space-y-2">
      <TextField
        label={label}
        value={typed ?? value}
        maxLength={maxLength}
        placeholder={placeholder}
        autoComplete="off"
        error={error}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setError(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") setTyped(undefined);
        }}
      />
      {isChanged ? (
        <div className="flex justify-end gap-2">
          <Button variant="quiet" size="small" onClick={() => setTyped(undefined)}>
            Discard
          </Button>
          <Button type="submit" size="small" disabled={isPending}>
            {isPending ? "Saving…" : "Save"}
          </Button>
        </div>
      ) : null}
    </form>
  );
}
