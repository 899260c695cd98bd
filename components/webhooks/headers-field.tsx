"use client";

import { Plus, X } from "lucide-react";
import { useId, useRef } from "react";
import { Button } from "@/components/ui/button";

/** One header while it is edited. A null is the stored value, which is not shown. */
export type HeaderRow = { id: string; name: string; value: string | null };

const maximumHeaders = 10;

const nameOf = ({ name }: HeaderRow) => name.trim();

/** @returns why the rows cannot be saved, or null */
export function headersProblem(rows: HeaderRow[]): string | null {
  const names = rows.map((row) => nameOf(row).toLowerCase()).filter((name) => name !== "");
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? null : `The header “${repeated}” is used twice.`;
}

/** New values, and null for stored headers that are no longer in the list. */
export function headersPatch(stored: string[], rows: HeaderRow[]): Record<string, string | null> {
  const names = new Set(rows.map((row) => nameOf(row).toLowerCase()));
  const removed = stored.filter((name) => !names.has(name.toLowerCase()));
  const written = rows.filter((row) => nameOf(row) !== "" && row.value !== null);
  return Object.fromEntries([
    ...removed.map((name) => [name, null] as const),
    ...written.map((row) => [nameOf(row), row.value] as const),
  ]);
}

type HeadersFieldProps = {
  rows: HeaderRow[];
  onChange: (rows: HeaderRow[]) => void;
  /** The errors of the whole form. Those of the headers are shown here. */
  errors: Record<string, string>;
};

const inputClass =
  "h-9 min-w-0 rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-muted disabled:text-muted max-md:text-base";

/** Names with their values. Stored values are hidden, and can be replaced or removed. */
export function HeadersField({ rows, onChange, errors }: HeadersFieldProps) {
  const id = useId();
  const next = useRef(0);
  const problem = headersProblem(rows) ?? errorOf(errors);
  const change = (row: HeaderRow, changes: Partial<HeaderRow>) =>
    onChange(rows.map((other) => (other.id === row.id ? { ...row, ...changes } : other)));

  return (
    <fieldset className="min-w-0 space-y-2" aria-describedby={`${id}-note`}>
      <legend className="mb-1.5 font-medium">Custom headers</legend>
      <ul className="space-y-2">
        {rows.map((row, index) => (
          <li key={row.id} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto] gap-2">
            <input
              aria-label={`Header ${index + 1}`}
              placeholder="X-Team"
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
              className={inputClass}
              value={row.name}
              disabled={row.value === null}
              onChange={(event) => change(row, { name: event.currentTarget.value })}
            />
            <input
              aria-label={`Value of header ${index + 1}`}
              placeholder={row.value === null ? "••••••••" : "Value"}
              maxLength={2_048}
              autoComplete="off"
              spellCheck={false}
              required={row.value !== null && nameOf(row) !== ""}
              className={inputClass}
              value={row.value ?? ""}
              disabled={row.value === null}
              onChange={(event) => change(row, { value: event.currentTarget.value })}
            />
            {row.value === null ? (
              <Button variant="secondary" onClick={() => change(row, { value: "" })}>
                Replace
              </Button>
            ) : (
              <span />
            )}
            <Button
              variant="quiet"
              size="icon"
              aria-label={`Remove ${row.name || `header ${index + 1}`}`}
              onClick={() => onChange(rows.filter((other) => other.id !== row.id))}
            >
              <X className="size-4" aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      <Button
        variant="secondary"
        size="small"
        disabled={rows.length >= maximumHeaders}
        onClick={() => onChange([...rows, { id: `new ${next.current++}`, name: "", value: "" }])}
      >
        <Plus className="size-4" aria-hidden="true" />
        Add a header
      </Button>
      <p id={`${id}-note`} className={problem ? "text-danger" : "text-muted"}>
        {problem ?? "Sent with every delivery. Values are encrypted, and never shown again."}
      </p>
    </fieldset>
  );
}

/** The first error, with the name of its header. */
function errorOf(errors: Record<string, string>): string | undefined {
  const [field = "", message] =
    Object.entries(errors).find(([name]) => `${name}.`.startsWith("headers.")) ?? [];
  return field.startsWith("headers.") ? `${field.slice("headers.".length)}: ${message}` : message;
}
