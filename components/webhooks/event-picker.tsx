"use client";

import { useId, useState } from "react";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { JsonText } from "@/components/ui/json";
import {
  allEvents,
  type EventFamily,
  familyState,
  isSelected,
  toggleAllEvents,
  toggleFamily,
  toggleType,
} from "./event-selection";

type EventPickerProps = {
  families: EventFamily[];
  patterns: readonly string[];
  onChange: (patterns: string[]) => void;
  error?: string | undefined;
};

/**
 * Selects the events of a webhook in a tree: everything, a whole family, or single types, each with
 * an example.
 */
export function EventPicker({ families, patterns, onChange, error }: EventPickerProps) {
  const id = useId();
  const [shownExample, setShownExample] = useState<string | null>(null);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">Events</legend>
      <div
        className={`divide-y divide-line rounded-lg border bg-surface ${error ? "border-danger" : "border-line-strong"}`}
      >
        <label className="flex items-center gap-2.5 px-3 py-2.5">
          <input
            type="checkbox"
            aria-invalid={error && patterns.length === 0 ? true : undefined}
            aria-describedby={`${id}-note`}
            checked={patterns.includes(allEvents)}
            onChange={(event) => onChange(toggleAllEvents(event.currentTarget.checked))}
          />
          <span className="font-medium">All events</span>
          <span className="text-muted">including types added later</span>
        </label>
        {families.map((family) => (
          <Family
            key={family.pattern}
            family={family}
            state={familyState(patterns, family)}
            isChosen={(type) => isSelected(patterns, family, type)}
            onFamily={(isOn) => onChange(toggleFamily(patterns, family, isOn, families))}
            onType={(type, isOn) => onChange(toggleType(patterns, family, type, isOn, families))}
            shownExample={shownExample}
            onExample={(type) => setShownExample(type === shownExample ? null : type)}
          />
        ))}
      </div>
      <p
        id={`${id}-note`}
        aria-live="polite"
        className={`mt-1.5 ${error && patterns.length === 0 ? "text-danger" : "text-muted"}`}
      >
        {patterns.length === 0
          ? (error ?? "Choose at least one")
          : `Chosen: ${patterns.map((pattern) => (pattern === allEvents ? "all events" : pattern)).join(", ")}`}
      </p>
    </fieldset>
  );
}

type FamilyProps = {
  family: EventFamily;
  state: ReturnType<typeof familyState>;
  isChosen: (type: string) => boolean;
  onFamily: (isOn: boolean) => void;
  onType: (type: string, isOn: boolean) => void;
  shownExample: string | null;
  onExample: (type: string) => void;
};

function Family({
  family,
  state,
  isChosen,
  onFamily,
  onType,
  shownExample,
  onExample,
}: FamilyProps) {
  return (
    <fieldset className="min-w-0 px-3 py-2">
      <legend className="sr-only">{family.name}</legend>
      <label className="flex w-fit items-center gap-2.5 py-1">
        <input
          type="checkbox"
          ref={(box) => {
            if (box) box.indeterminate = state === "some";
          }}
          checked={state === "all"}
          onChange={(event) => onFamily(event.currentTarget.checked)}
        />
        <code className="font-medium font-mono text-xs">{family.pattern}</code>
      </label>
      <ul className="ml-6">
        {family.types.map(({ type, description, example }) => (
          <li key={type}>
            <div className="flex items-start justify-between gap-3">
              <label className="flex min-w-0 items-start gap-2.5 py-1">
                <input
                  type="checkbox"
                  className="mt-1"
                  checked={isChosen(type)}
                  onChange={(event) => onType(type, event.currentTarget.checked)}
                />
                <span className="min-w-0">
                  <code className="break-words font-mono text-xs">{type}</code>
                  <span className="block text-muted text-xs">
                    <InlineMarkdown text={description} />
                  </span>
                </span>
              </label>
              <button
                type="button"
                aria-expanded={shownExample === type}
                aria-label={`${shownExample === type ? "Hide example" : "Example"} of ${type}`}
                onClick={() => onExample(type)}
                className="mt-0.5 shrink-0 rounded-md px-1.5 py-1 text-accent text-xs hover:bg-sunken"
              >
                {shownExample === type ? "Hide example" : "Example"}
              </button>
            </div>
            {shownExample === type ? (
              <div className="mt-1 mb-2">
                <JsonText text={example} label={`example of ${type}`} />
              </div>
            ) : null}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
