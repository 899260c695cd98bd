"use client";

import { type FormEvent, useState } from "react";
import { environmentNames } from "@/components/shell/environment-name";
import { Button } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/action-result";
import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import type { Scope } from "@/lib/api-keys/scopes";
import type { Environment } from "@/prisma/generated/enums";
import { ScopePicker, type ScopePreset } from "./scope-picker";
import type { CreatedKey } from "./states";

type KeyFormProps = {
  environment: Environment;
  presets: ScopePreset[];
  resources: ScopeResource[];
  /** How the last attempt ended, if there was one. */
  result: ActionResult<CreatedKey> | null;
  isPending: boolean;
  submit: (form: FormData) => void;
  onEnvironmentChange: (environment: Environment) => void;
};

export function KeyForm({ environment, presets, resources, result, isPending, submit, onEnvironmentChange }: KeyFormProps) {
  const [scopes, setScopes] = useState<Scope[]>([...(presets[0]?.scopes ?? [])]);
  const [expiry, setExpiry] = useState("never");
  const refused = result?.outcome === "refused" ? result : null;
  const errors = refused?.errors;

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    submit(new FormData(event.currentTarget));
  }

  return (
    <form onSubmit={onSubmit} className="space-y-4">
      {scopes.map((scope) => (
        <input key={scope} type="hidden" name="scopes" value={scope} />
      ))}
      {refused && Object.keys(refused.errors).length === 0 ? <Notice>{refused.message}</Notice> : null}
      <TextField label="Name" name="name" required maxLength={100} autoComplete="off" error={errors?.name} />
      <fieldset className="space-y-1.5">
        <legend className="font-medium">Environment</legend>
        <div className="flex gap-5">
          {(["test", "live"] as const).map((name) => (
            <label key={name} className="flex items-center gap-2 py-1">
              <input
                type="radio"
                name="environment"
                value={name}
                checked={environment === name}
                onChange={() => onEnvironmentChange(name)}
              />
              {environmentNames[name]}
            </label>
          ))}
        </div>
      </fieldset>
      <ScopePicker presets={presets} resources={resources} chosen={scopes} onChange={setScopes} error={errors?.scopes} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Expires" name="expiry" value={expiry} onChange={(event) => setExpiry(event.currentTarget.value)}>
          <option value="never">Never</option>
          <option value="7">In 7 days</option>
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="date">On a date…</option>
        </SelectField>
        {expiry === "date" ? (
          <TextField label="Last day" name="date" type="date" required hint="To the end of that day, UTC." error={errors?.date} />
        ) : null}
      </div>
      <div className="flex justify-end">
        <Button type="submit" disabled={isPending}>
          {isPending ? "Creating…" : `Create ${environment} key`}
        </Button>
      </div>
    </form>
  );
}
