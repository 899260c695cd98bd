"use client";

import dynamic from "next/dynamic";
import { useId, useState } from "react";
import { priorityLabels } from "@/components/conversations/labels";
import { TextAreaField } from "@/components/ui/field";
import type { WebhookFilter } from "@/lib/webhooks/filter-schema";
import type { PreviewFilter } from "./action-types";

// Loaded on demand, because most visits do not use it.
const FilterPreview = dynamic(
  () => import("./filter-preview").then((preview) => preview.FilterPreview),
  { ssr: false },
);

type Choice = { id: string; name: string };
export type FilterChoices = { agents: Choice[]; members: Choice[] };

/** What the form needs to edit a filter. */
export type Filtering = {
  /** The path of the environment's pages. */
  base: string;
  choices: FilterChoices;
  preview: PreviewFilter;
};

type FilterFieldProps = Filtering & {
  events: string[];
  filter: WebhookFilter | null;
  onChange: (filter: WebhookFilter | null) => void;
  /** The errors of the whole form. Those of the filter are shown here. */
  errors: Record<string, string>;
};

type FieldName = keyof WebhookFilter;
type Value = string | null;

/** Which conversations' events are sent. Shows the newest events that match. */
export function FilterField({
  base,
  choices,
  preview,
  events,
  filter,
  onChange,
  errors,
}: FilterFieldProps) {
  const id = useId();
  const valuesOf = (name: FieldName): Value[] => {
    const values = filter?.[name];
    return values === undefined ? [] : [values].flat();
  };
  const errorOf = (name: FieldName) =>
    Object.entries(errors).find(([field]) => `${field}.`.startsWith(`filter.${name}.`))?.[1];

  function change(name: FieldName, values: Value[]) {
    const { [name]: _, ...others } = filter ?? {};
    const changed = values.length > 0 ? { ...others, [name]: oneOrList(values) } : others;
    onChange(Object.keys(changed).length > 0 ? (changed as WebhookFilter) : null);
  }

  const fieldOf = (name: FieldName) => ({
    values: valuesOf(name),
    onChange: (values: Value[]) => change(name, values),
    error: errorOf(name),
  });

  return (
    <fieldset className="min-w-0 space-y-4" aria-describedby={`${id}-note`}>
      <legend className="mb-1.5 font-medium">Filter</legend>
      <p id={`${id}-note`} className={errors.filter ? "text-danger" : "text-muted"}>
        {errors.filter ??
          "Sends only events about conversations that match every field below. An empty field matches all. Events about anything else, such as customer.created, are not filtered."}
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <Lines label="Channels" {...fieldOf("channelId")} />
        <Lines label="Tags" {...fieldOf("tags")} />
        <Checks label="Priority" choices={priorities} {...fieldOf("priority")} />
        <Checks label="Agent" none="No agent" choices={choices.agents} {...fieldOf("agentId")} />
        <Checks
          label="Assignee"
          none="No one"
          choices={choices.members}
          {...fieldOf("assigneeId")}
        />
      </div>
      <FilterPreview base={base} input={{ events, filter }} preview={preview} />
    </fieldset>
  );
}

const priorities = Object.entries(priorityLabels).map(([id, name]) => ({ id, name }));

const oneOrList = (values: Value[]) => (values.length === 1 ? values[0] : values);

type ValuesProps = {
  label: string;
  values: Value[];
  onChange: (values: Value[]) => void;
  error: string | undefined;
};

/** One value per line, because a value can contain any other character. */
function Lines({ label, values, onChange, error }: ValuesProps) {
  const [typed, setTyped] = useState(values.join("\n"));
  return (
    <TextAreaField
      label={label}
      rows={3}
      hint="One per line. Any of them matches."
      spellCheck={false}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const lines = value.split("\n").map((line) => line.trim());
        onChange([...new Set(lines.filter((line) => line !== ""))]);
      }}
      {...(error && { error })}
    />
  );
}

/** Null is the choice `none`. Values that the choices do not name are shown, so that none is lost. */
function Checks({
  label,
  none,
  choices,
  values,
  onChange,
  error,
}: ValuesProps & { none?: string; choices: Choice[] }) {
  const id = useId();
  const unnamed = values.filter(
    (value) => value !== null && !choices.some((choice) => choice.id === value),
  );
  const options: { value: Value; name: string }[] = [
    ...(none ? [{ value: null, name: none }] : []),
    ...choices.map(({ id: value, name }) => ({ value, name })),
    ...unnamed.map((value) => ({ value, name: String(value) })),
  ];
  return (
    <fieldset className="min-w-0 space-y-1.5" aria-describedby={error ? `${id}-note` : undefined}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="max-h-40 space-y-1 overflow-y-auto rounded-lg border border-line-strong bg-surface px-3 py-2">
        {options.map(({ value, name }) => (
          <label key={value} className="flex items-center gap-2.5">
            <input
              type="checkbox"
              checked={values.includes(value)}
              aria-invalid={error ? true : undefined}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...values, value] : values.filter((other) => other !== value))
              }
            />
            <span className="min-w-0 truncate">{name}</span>
          </label>
        ))}
      </div>
      {error ? (
        <p id={`${id}-note`} className="text-danger">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
