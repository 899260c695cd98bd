"use client";

import { useId } from "react";
import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import type { Scope } from "@/lib/api-keys/scopes";
import { type AccessLevel, levelNames, levelOf } from "./describe-key";
import type { ScopePreset } from "./types";

const verbsOf: Record<AccessLevel, ("read" | "write")[]> = {
  none: [],
  read: ["read"],
  write: ["write"],
  both: ["read", "write"],
};

const isSame = (left: readonly Scope[], right: readonly Scope[]) =>
  left.length === right.length && left.every((scope) => right.includes(scope));

type PickerProps = {
  presets: ScopePreset[];
  resources: ScopeResource[];
  chosen: readonly Scope[];
  onChange: (scopes: Scope[]) => void;
  error?: string;
};

/**
 * Presets for common cases, and the exact choice below. Write does not include read, so both is a
 * separate choice.
 */
export function ScopePicker({ presets, resources, chosen, onChange, error }: PickerProps) {
  const id = useId();
  const preset = presets.find(({ scopes }) => isSame(scopes, chosen));

  function setLevel(resource: string, level: AccessLevel) {
    const others = chosen.filter((scope) => !scope.endsWith(`:${resource}`));
    onChange([...others, ...verbsOf[level].map((verb) => `${verb}:${resource}` as Scope)]);
  }

  return (
    <fieldset className="space-y-3" aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="font-medium">Scopes</legend>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {presets.map(({ name, scopes }) => (
          <button
            key={name}
            type="button"
            aria-pressed={preset?.name === name}
            onClick={() => onChange([...scopes])}
            className="h-9 rounded-lg border border-line-strong px-2 font-medium hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            {name}
          </button>
        ))}
      </div>
      {preset ? <p className="text-muted text-xs">{preset.description}</p> : null}
      <div className="divide-y divide-line rounded-lg border border-line">
        {resources.map(({ name, label, isWritable }) => (
          <fieldset
            key={name}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-3 py-1"
          >
            <legend className="sr-only">{label}</legend>
            <span aria-hidden="true">{label}</span>
            <span className="flex flex-wrap gap-x-3">
              {(isWritable
                ? (["none", "read", "write", "both"] as const)
                : (["none", "read"] as const)
              ).map((level) => (
                <label key={level} className="flex items-center gap-1.5 py-1 text-xs">
                  <input
                    type="radio"
                    name={`${id}-${name}`}
                    checked={levelOf(chosen, name) === level}
                    onChange={() => setLevel(name, level)}
                  />
                  {levelNames[level]}
                </label>
              ))}
            </span>
          </fieldset>
        ))}
      </div>
      {error ? (
        <p id={`${id}-error`} className="text-danger">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
