"use client";

import { type ReactNode, useId } from "react";

export type RadioOption<Value> = {
  value: Value;
  label: string;
  note: string;
  isDisabled?: boolean;
};

type RadioListProps<Value> = {
  legend: ReactNode;
  options: RadioOption<Value>[];
  value: Value;
  onChange: (value: Value) => void;
};

/** A choice of one option, each with a note below its label. */
export function RadioList<Value extends string | number>({
  legend,
  options,
  value,
  onChange,
}: RadioListProps<Value>) {
  const name = useId();
  return (
    <fieldset className="space-y-2">
      <legend className="mb-2 font-medium">{legend}</legend>
      {options.map((option) => (
        <label key={option.value} className="flex items-start gap-2.5 has-disabled:opacity-60">
          <input
            type="radio"
            name={name}
            className="mt-1"
            checked={value === option.value}
            disabled={option.isDisabled}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            <span className="block text-muted">{option.note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
