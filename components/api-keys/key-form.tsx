"use client";

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { environmentNames } from "@/components/shell/environment-name";
import { Button } from "@/components/ui/button";
import { SelectField, TextAreaField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { Scope } from "@/lib/api-keys/scopes";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { describeKey, onDay } from "./describe-key";
import { ScopePicker } from "./scope-picker";
import type { KeyChoices, KeySummary } from "./types";

const dayMs = 24 * 60 * 60 * 1000;

type KeyFormProps = {
  choices: KeyChoices;
  /** The key to edit. Its environment and expiry cannot be changed. */
  changed?: KeySummary;
  /** The result of the last submission, if any. */
  result: ActionResult<unknown> | null;
  isPending: boolean;
  submit: (form: FormData) => void;
  labels: { submit: string; pending: string };
  /** For a new key only. */
  environment?: { chosen: Environment; onChange: (environment: Environment) => void };
};

/**
 * The scopes, allowed IP addresses and rate limit of a key, and for a new one its environment and
 * expiry.
 */
export function KeyForm({
  choices,
  changed,
  result,
  isPending,
  submit,
  labels,
  environment,
}: KeyFormProps) {
  const [scopes, setScopes] = useState<Scope[]>([
    ...(changed?.scopes ?? choices.presets[0]?.scopes ?? []),
  ]);
  const [addresses, setAddresses] = useState(changed?.allowedIps.join("\n") ?? "");
  const [rateLimit, setRateLimit] = useState(changed?.rateLimitPerMinute?.toString() ?? "");
  const [end, setEnd] = useState<string | null>(
    changed?.expiresAt ? onDay(new Date(changed.expiresAt)) : null,
  );
  const form = useRef<HTMLFormElement>(null);
  const refused = result?.outcome === "refused" ? result : null;
  const errors = refused?.errors ?? {};
  const addressError = Object.entries(errors).find(([field]) =>
    field.startsWith("allowedIps"),
  )?.[1];
  const terms = {
    scopes,
    allowedIps: addresses.split(/[\s,]+/).filter(Boolean),
    rateLimitPerMinute: /^\d+$/.test(rateLimit) ? Number(rateLimit) : null,
    end,
  };

  // Focuses the first field with an error.
  useEffect(() => {
    if (result?.outcome === "refused")
      form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [result]);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    submit(new FormData(event.currentTarget));
  }

  return (
    <form ref={form} onSubmit={onSubmit} className="space-y-4">
      {scopes.map((scope) => (
        <input key={scope} type="hidden" name="scopes" value={scope} />
      ))}
      {refused && Object.keys(errors).length === 0 ? <Notice>{refused.message}</Notice> : null}
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
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex justify-end border-line border-t bg-surface px-5 py-3.5 sm:-bottom-6 sm:-mx-6 sm:-mb-6 sm:px-6">
        <Button type="submit" disabled={isPending}>
          {isPending ? labels.pending : labels.submit}
        </Button>
      </div>
    </form>
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
