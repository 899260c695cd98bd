"use client";

import { Plus, X } from "lucide-react";
import { type FormEvent, useId, useRef, useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import type { UpdateConversationAction } from "./action-types";

const longestTag = 50;

/** Adds and removes tags one by one. If a tag is rejected, the input stays. */
export function TagEditor({ tags, update }: { tags: string[]; update: UpdateConversationAction }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const group = useRef<HTMLFieldSetElement>(null);
  const [isPending, startTransition] = useTransition();

  function save(change: { addTags: string[] } | { removeTags: string[] }, onSaved?: () => void) {
    startTransition(async () => {
      const result = await update(change);
      setError(result.outcome === "refused" ? result.message : undefined);
      if (result.outcome === "done") onSaved?.();
    });
  }

  function remove(tag: string) {
    if (isPending) return;
    // The button disappears with the tag.
    group.current?.focus();
    save({ removeTags: [tag] });
  }

  function add(event: FormEvent) {
    event.preventDefault();
    const tag = typed.trim();
    if (tag) save({ addTags: [tag] }, () => setTyped(""));
  }

  return (
    <fieldset
      ref={group}
      tabIndex={-1}
      aria-label="Tags"
      className="min-w-0 space-y-1.5 outline-none"
    >
      <label htmlFor={id} className="block font-medium">
        Tags
      </label>
      {tags.length > 0 ? (
        <ul className="flex flex-wrap gap-1">
          {tags.map((tag) => (
            <li
              key={tag}
              className="inline-flex max-w-full items-center gap-0.5 rounded-full bg-sunken py-0.5 pr-0.5 pl-2 text-xs"
            >
              <span dir="auto" className="truncate">
                {tag}
              </span>
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                onClick={() => remove(tag)}
                className="inline-flex size-5 items-center justify-center rounded-full text-muted hover:bg-line hover:text-ink"
              >
                <X className="size-3" aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <form onSubmit={add} className="flex gap-1">
        <input
          id={id}
          dir="auto"
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setError(undefined);
          }}
          maxLength={longestTag}
          placeholder="Add a tag"
          autoComplete="off"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-note` : undefined}
          className="h-8 w-full min-w-0 rounded-lg border border-line-strong bg-surface px-2.5 placeholder:text-muted aria-invalid:border-danger max-md:text-base"
        />
        <Button
          type="submit"
          variant="secondary"
          size="small"
          disabled={isPending}
          aria-label="Add the tag"
        >
          <Plus className="size-4" aria-hidden="true" />
        </Button>
      </form>
      {error ? (
        <p id={`${id}-note`} className="text-danger">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
