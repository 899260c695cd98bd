"use client";

import { type ReactNode, useState } from "react";
import { environmentNames } from "@/components/shell/environment-name";
import { SelectField, TextAreaField, TextField } from "@/components/ui/field";
import type { Scope } from "@/lib/api-keys/scopes";
import type { Environment } from "@/prisma/generated/enums";
import { describeKey, onDay } from "./describe-key";
import { ScopePicker } from "./scope-picker";
import type { KeyChoices, KeySummary } from "./types";

const dayMs = 24 * 60 * 60 * 1000;

type KeyFieldsProps = {
  choices: KeyChoices;
  /** The key to edit. Its environment and expiry cannot be changed. */
  changed?: KeySummary;
  errors: Record<string, string>;
  /** For a new key only. */
  environment?: { chosen: Environment; onChange: (environment: Environment) => void };
};

/**
 * The scopes, allowed IP addresses and rate limit of a key, and for a new one its environment and
 * expiry.
 */
export function KeyFields({ choices, changed, errors, environment }: KeyFieldsProps) {
  const [scopes, setScopes] = useState<Scope[]>([
    ...(changed?.scopes ?? choices.presets[0]?.scopes ?? []),
  ]);
  const [addresses, setAddresses] = useState(changed?.allowedIps.join("\n") ?? "");
  const [rateLimit, setRateLimit] = useState(changed?.rateLimitPerMinute?.toString() ?? "");
  const [end, setEnd] = useState<string | null>(
    changed?.expiresAt ? onDay(new Date(changed.expiresAt)) : null,
  );
  const addressError = Object.entries(errors).find(([field]) =>
    field.startsWith("allowedIps"),
  )?.[1];
  const terms = {
    scopes,
    allowedIps: addresses.split(/[\s,]+/).filter(Boolean),
    rateLimitPerMinute: /^\d+$/.test(rateLimit) ? Number(rateLimit) : null,
    end,
  };

  return (
    <>
      {scopes.map((scope) => (
        <input key={scope} type="hidden" name="scopes" value={scope} />
      ))}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          defaultValue={changed?.name}
          error={errors.name}
        />
        {environment ? <EnvironmentField {...environment} /> : null}
      </div>
      <ScopePicker
        presets={choices.presets}
        resources={choices.resources}
        chosen={scopes}
        onChange={setScopes}
        error={errors.scopes}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextAreaField
          label="Allowed IP addresses"
          name="allowedIps"
          rows={2}
          placeholder="Any"
          spellCheck={false}
          value={addresses}
          onChange={(event) => setAddresses(event.currentTarget.value)}
          hint="Addresses or networks such as 203.0.113.0/24, one per line."
          error={addressError}
        />
        <TextField
          label="Requests per minute"
          name="rateLimitPerMinute"
          inputMode="numeric"
          autoComplete="off"
          placeholder={choices.planRateLimit.toLocaleString("en")}
          value={rateLimit}
          onChange={(event) => setRateLimit(event.currentTarget.value)}
          hint={`Leave empty for your plan’s ${choices.planRateLimit.toLocaleString("en")}.`}
          error={errors.rateLimitPerMinute}
        />
        {changed ? null : <ExpiryFields dateError={errors.expiresAt} onChange={setEnd} />}
      </div>
      <p aria-live="polite" className="rounded-lg bg-sunken px-3 py-2.5 text-muted">
        {describeKey(choices.resources, terms)}
      </p>
    </>
  );
}

function EnvironmentField({
  chosen,
  onChange,
}: {
  chosen: Environment;
  onChange: (environment: Environment) => void;
}): ReactNode {
  return (
    <fieldset className="space-y-1.5">
      <legend className="font-medium">Environment</legend>
      <div className="flex h-9 items-center gap-5">
        {(["test", "live"] as const).map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="radio"
              name="environment"
              value={name}
              checked={chosen === name}
              onChange={() => onChange(name)}
            />
            {environmentNames[name]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** @param onChange called with the expiry in words, or null for none */
function ExpiryFields({
  dateError,
  onChange,
}: {
  dateError?: string;
  onChange: (end: string | null) => void;
}) {
  const [expiry, setExpiry] = useState("never");

  function choose(chosen: string) {
    setExpiry(chosen);
    const days = Number(chosen);
    onChange(days > 0 ? onDay(new Date(Date.now() + days * dayMs)) : null);
  }

  function chooseDate(date: string) {
    const time = Date.parse(date);
    onChange(Number.isNaN(time) ? null : onDay(new Date(time)));
  }

  return (
    <>
      <SelectField
        label="Expires"
        name="expiry"
        value={expiry}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="never">Never</option>
        <option value="7">In 7 days</option>
        <option value="30">In 30 days</option>
        <option value="90">In 90 days</option>
        <option value="date">On a date…</option>
      </SelectField>
      {expiry === "date" ? (
        <TextField
          label="Last day"
          name="date"
          type="date"
          required
          hint="The key works until the end of that day, UTC."
          error={dateError}
          onChange={(event) => chooseDate(event.currentTarget.value)}
        />
      ) : null}
    </>
  );
}
