"use client";

import { ListFilter, X } from "lucide-react";
import dynamic from "next/dynamic";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import {
  type ChangeEvent,
  type ComponentProps,
  type FormEvent,
  useEffect,
  useId,
  useOptimistic,
  useRef,
  useState,
  useTransition,
} from "react";
import { fromLocalMinute, toLocalMinute } from "@/lib/platform/zoned-time";
import { Button } from "./button";
import { LoadingBar } from "./loading-bar";
import type { PickFilter as Picker } from "./pick-filter";
import { refuseOffline } from "./refuse-offline";

// Loaded on demand, because only the inbox has one.
const PickFilter = dynamic(() => import("./pick-filter").then((module) => module.PickFilter), {
  ssr: false,
});

export type Filter =
  | {
      name: string;
      label: string;
      options: { value: string; label: string }[];
      /** The first option, if it is not "All". */
      all?: string;
    }
  | {
      name: string;
      label: string;
      type: "pick";
      placeholder: string;
      chosen: string | null;
      find: ComponentProps<typeof Picker>["find"];
    }
  | {
      name: string;
      label: string;
      type: "search" | "text" | "date";
      placeholder?: string;
    }
  /** The URL has the time in UTC, so that a link means the same to everyone. */
  | { name: string; label: string; type: "datetime-local"; zone: string };

const inputClass =
  "h-8 rounded-lg border border-line-strong bg-surface px-2.5 text-ink placeholder:text-muted max-md:text-base";

/** @param stored the value that the field showed: seconds that it cannot show stay in the URL. */
function valueInUrl(filter: Filter, typed: string, stored: string): string {
  if (!("zone" in filter) || typed === "") return typed;
  if (typed === valueInField(filter, stored)) return stored;
  return fromLocalMinute(typed, filter.zone)?.toISOString() ?? typed;
}

function valueInField(filter: Filter, stored: string): string {
  if (!("zone" in filter) || stored === "") return stored;
  // A link can have the value of such a field as well, which is in UTC.
  const at = new Date(/T\d{2}:\d{2}$/.test(stored) ? `${stored}:00Z` : stored);
  return Number.isNaN(at.getTime()) ? stored : toLocalMinute(at, filter.zone);
}

/** Two of these are next to each other on a narrow screen. */
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
  const shown = useSearchParams().toString();
  // Until the page has loaded, the filters show what was chosen, and a further choice adds to it.
  const [wanted, setWanted] = useOptimistic(shown);
  const query = new URLSearchParams(wanted);
  const storedIn = (name: string) => query.get(name) ?? "";
  const [isPending, startTransition] = useTransition();
  const [isOpen, setIsOpen] = useState(false);
  const used = filters.filter(({ name }) => query.has(name)).length;
  const isCollapsible = !isAlwaysOpen && filters.length > 2;

  function show(changes: Record<string, string>) {
    // Leaving a field unchanged must not lead back to the first page.
    if (Object.entries(changes).every(([name, value]) => value.trim() === storedIn(name))) return;
    if (refuseOffline()) return;
    const parameters = new URLSearchParams(query);
    parameters.delete("cursor");
    parameters.delete("before");
    for (const [name, value] of Object.entries(changes)) {
      if (value.trim() === "") parameters.delete(name);
      else parameters.set(name, value.trim());
    }
    const next = parameters.toString();
    startTransition(() => {
      setWanted(next);
      router.push(`${path}?${next}`);
    });
  }

  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => {
    const filter = filters.find(({ name }) => name === currentTarget.name);
    if (filter)
      show({ [filter.name]: valueInUrl(filter, currentTarget.value, storedIn(filter.name)) });
  };

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const present = filters.filter(({ name }) => sent.has(name));
    show(
      Object.fromEntries(
        present.map((filter) => [
          filter.name,
          valueInUrl(filter, String(sent.get(filter.name) ?? ""), storedIn(filter.name)),
        ]),
      ),
    );
  }

  return (
    <search className="mb-4 block">
      {isPending ? <LoadingBar /> : null}
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
        {filters.map((filter) =>
          "type" in filter && filter.type === "pick" ? (
            <PickFilter
              // Remounts when the value changes, to forget the text and the matches.
              key={`${filter.name} ${query.get(filter.name)}`}
              {...filter}
              onPick={(value) => show({ [filter.name]: value })}
            />
          ) : (
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
                  <option value="">{filter.all ?? "All"}</option>
                  {filter.options.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              ) : (
                <TextFilter
                  id={`${id}-${filter.name}`}
                  name={filter.name}
                  type={filter.type}
                  placeholder={"placeholder" in filter ? filter.placeholder : undefined}
                  className={`${inputClass} max-sm:w-full ${filter.type === "search" ? "w-70" : ""}`}
                  stored={valueInField(filter, query.get(filter.name) ?? "")}
                  onBlur={onChange}
                />
              )}
            </div>
          ),
        )}
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

/** Takes on the value of the URL when that changes, and keeps the focus. */
function TextFilter({ stored, ...input }: { stored: string } & ComponentProps<"input">) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current && field.current.value.trim() !== stored) field.current.value = stored;
  }, [stored]);
  return <input ref={field} defaultValue={stored} {...input} />;
}
