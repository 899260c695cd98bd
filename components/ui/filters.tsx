"use client";

import { ListFilter, X } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { type ChangeEvent, type FormEvent, useId, useState, useTransition } from "react";
import { Button } from "./button";

export type Filter =
  | { name: string; label: string; options: { value: string; label: string }[] }
  | {
      name: string;
      label: string;
      type: "search" | "text" | "date" | "datetime-local";
      placeholder?: string;
    };

const inputClass =
  "h-8 rounded-lg border border-line-strong bg-surface px-2.5 text-ink placeholder:text-muted max-md:text-base";

/** Two of these stand side by side on a narrow screen. */
const isShort = (filter: Filter) => "options" in filter || filter.type === "date";

/**
 * Filters stored in the URL. A choice applies immediately, text on Enter or when the field loses
 * focus. On a narrow screen, more than two of them are behind a button.
 * @param isOpen for filters that are already collapsed inside another element
 */
export function Filters({
  filters,
  isOpen: isAlwaysOpen = false,
}: {
  filters: Filter[];
  isOpen?: boolean;
}) {
  const id = useId();
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const [isPending, startTransition] = useTransition();
  const [isOpen, setIsOpen] = useState(false);
  const used = filters.filter(({ name }) => query.has(name)).length;
  const isCollapsible = !isAlwaysOpen && filters.length > 2;

  function show(changes: Record<string, string>) {
    const parameters = new URLSearchParams(query);
    parameters.delete("cursor");
    for (const [name, value] of Object.entries(changes)) {
      if (value.trim() === "") parameters.delete(name);
      else parameters.set(name, value.trim());
    }
    if (parameters.toString() !== query.toString())
      startTransition(() => router.push(`${path}?${parameters}`));
  }

  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
    show({ [currentTarget.name]: currentTarget.value });

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    show(Object.fromEntries(filters.map(({ name }) => [name, String(sent.get(name) ?? "")])));
  }

  return (
    <search className="mb-4 block">
      {isCollapsible ? (
        <Button
          variant="secondary"
          size="small"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
          className="mb-2 sm:hidden"
        >
          <ListFilter className="size-3.5" aria-hidden="true" />
          {used > 0 ? `Filters (${used})` : "Filters"}
        </Button>
      ) : null}
      <form
        id={id}
        onSubmit={onSubmit}
        aria-busy={isPending}
        className={`flex flex-wrap items-end gap-x-3 gap-y-2 ${isCollapsible && !isOpen ? "max-sm:hidden" : ""}`}
      >
        {filters.map((filter) => (
          <div
            key={filter.name}
            className={`space-y-1 ${isShort(filter) ? "max-sm:w-[calc(50%-0.375rem)]" : "max-sm:w-full"}`}
          >
            <label htmlFor={`${id}-${filter.name}`} className="block text-muted text-xs">
              {filter.label}
            </label>
            {"options" in filter ? (
              <select
                id={`${id}-${filter.name}`}
                name={filter.name}
                className={`${inputClass} max-sm:w-full sm:max-w-44`}
                value={query.get(filter.name) ?? ""}
                onChange={onChange}
              >
                <option value="">All</option>
                {filter.options.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            ) : (
              <input
                // Remounts when the value changes in the URL rather than by typing.
                key={query.get(filter.name)}
                id={`${id}-${filter.name}`}
                name={filter.name}
                type={filter.type}
                placeholder={filter.placeholder}
                className={`${inputClass} max-sm:w-full ${filter.type === "search" ? "w-80" : ""}`}
                defaultValue={query.get(filter.name) ?? ""}
                onBlur={onChange}
              />
            )}
          </div>
        ))}
        {used > 0 ? (
          <Button
            variant="quiet"
            size="small"
            onClick={() => show(Object.fromEntries(filters.map(({ name }) => [name, ""])))}
          >
            <X className="size-3.5" aria-hidden="true" />
            Clear filters
          </Button>
        ) : null}
        <button type="submit" className="sr-only">
          Apply the filters
        </button>
      </form>
    </search>
  );
}
