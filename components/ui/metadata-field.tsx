"use client";

import { Plus, X } from "lucide-react";
import { useId, useRef } from "react";
import { type MetadataKind, type MetadataRow, metadataProblem } from "@/lib/platform/metadata-rows";
import { Button } from "./button";

type MetadataFieldProps = {
  rows: MetadataRow[];
  onChange: (rows: MetadataRow[]) => void;
  hint?: string;
  /** The errors of the whole form. Those of metadata are shown here. */
  errors?: Record<string, string>;
};

const kindNames: Record<MetadataKind, string> = {
  text: "Text",
  number: "Number",
  boolean: "True or false",
};

const inputClass =
  "h-9 min-w-0 rounded-lg border border-line-strong bg-surface px-3 text-ink max-md:text-base";

/** Keys with their values. Each value keeps its type: 3 stays a number, and "3" a string. */
export function MetadataField({ rows, onChange, hint, errors = {} }: MetadataFieldProps) {
  const id = useId();
  const next = useRef(0);
  const list = useRef<HTMLUListElement>(null);
  const problem = metadataProblem(rows) ?? errorOf(errors);

  const change = (row: MetadataRow, changes: Partial<MetadataRow>) =>
    onChange(rows.map((other) => (other.id === row.id ? { ...row, ...changes } : other)));

  function add() {
    onChange([...rows, { id: `new ${next.current++}`, key: "", kind: "text", value: "" }]);
    // Waits until the new row is rendered.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLInputElement>("li:last-child input")?.focus(),
    );
  }

  return (
    <fieldset className="space-y-2" aria-describedby={problem || hint ? `${id}-note` : undefined}>
      <legend className="mb-1.5 font-medium">Metadata</legend>
      <ul ref={list} className="space-y-2">
        {rows.map((row, index) => (
          <li
            key={row.id}
            className="grid grid-cols-[minmax(0,1fr)_auto_auto] gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto]"
          >
            <input
              aria-label={`Key ${index + 1}`}
              placeholder="Key"
              maxLength={40}
              className={`${inputClass} max-sm:col-span-3`}
              value={row.key}
              onChange={(event) => change(row, { key: event.currentTarget.value })}
            />
            <ValueInput row={row} index={index} onChange={(value) => change(row, { value })} />
            <select
              aria-label={`Type of value ${index + 1}`}
              className={inputClass}
              value={row.kind}
              onChange={(event) =>
                change(row, changedKind(row, event.currentTarget.value as MetadataKind))
              }
            >
              {Object.entries(kindNames).map(([kind, name]) => (
                <option key={kind} value={kind}>
                  {name}
                </option>
              ))}
            </select>
            <Button
              variant="quiet"
              size="icon"
              aria-label={`Remove ${row.key || `key ${index + 1}`}`}
              onClick={() => onChange(rows.filter((other) => other.id !== row.id))}
            >
              <X className="size-4" aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      <Button variant="secondary" size="small" onClick={add} disabled={rows.length >= 50}>
        <Plus className="size-4" aria-hidden="true" />
        Add a key
      </Button>
      {problem || hint ? (
        <p id={`${id}-note`} className={problem ? "text-danger" : "text-muted"}>
          {problem ?? hint}
        </p>
      ) : null}
    </fieldset>
  );
}

/** The first error, with its key. */
function errorOf(errors: Record<string, string>): string | undefined {
  const [field, message] =
    Object.entries(errors).find(([name]) => name === "metadata" || name.startsWith("metadata.")) ??
    [];
  return field?.startsWith("metadata.")
    ? `${field.slice("metadata.".length)}: ${message}`
    : message;
}

function ValueInput({
  row,
  index,
  onChange,
}: {
  row: MetadataRow;
  index: number;
  onChange: (value: string) => void;
}) {
  const label = `Value ${index + 1}`;
  if (row.kind === "boolean") {
    return (
      <select
        aria-label={label}
        className={inputClass}
        value={row.value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  return (
    <input
      aria-label={label}
      placeholder="Value"
      type={row.kind === "number" ? "number" : "text"}
      step="any"
      required={row.kind === "number"}
      maxLength={500}
      className={inputClass}
      value={row.value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Typed text stays if it is valid as the new type. */
function changedKind({ value }: MetadataRow, kind: MetadataKind): Partial<MetadataRow> {
  if (kind === "boolean") return { kind, value: value === "true" ? "true" : "false" };
  if (kind === "number") return { kind, value: Number.isNaN(Number(value)) ? "" : value };
  return { kind, value };
}
