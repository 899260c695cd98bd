"use client";

import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { Notice } from "@/components/ui/notice";
import { rateLimitOf } from "@/lib/api-keys/rate-limit";
import { atTime } from "./describe-key";
import type { KeyActions, KeyChoices, KeySummary, RevealedKey } from "./types";

const overlaps = [
  { value: "now", label: "No overlap", hours: 0 },
  { value: "1h", label: "1 hour", hours: 1 },
  { value: "24h", label: "24 hours", hours: 24 },
  { value: "7d", label: "7 days", hours: 168 },
] as const;

type Props = {
  apiKey: KeySummary;
  choices: KeyChoices;
  rollKey: KeyActions["roll"];
  onRolled: (key: RevealedKey) => void;
  onClosed: () => void;
};

export function RollKeyDialog({ apiKey, choices, rollKey, onRolled, onClosed }: Props) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>(overlaps[2]);
  const { requestsLastDay } = apiKey;

  return (
    <FormDialog
      title={`Rotate “${apiKey.name}”?`}
      description={
        <>
          Replaces the key in <EnvironmentName environment={choices.environment} /> with a new one
          that has the same name, scopes, allowed IP addresses and rate limit.
        </>
      }
      submit={`Rotate ${choices.environment} key`}
      pending="Rotating…"
      send={() => rollKey(apiKey.id, overlap.value)}
      onDone={onRolled}
      onClosed={onClosed}
    >
      {() => (
        <>
          <fieldset className="space-y-2">
            <legend className="font-medium">How long should the old key keep working?</legend>
            <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
              {overlaps.map((choice) => (
                <label
                  key={choice.value}
                  className="flex h-9 items-center gap-2 rounded-lg border border-line-strong px-3 has-checked:border-accent has-checked:bg-accent-soft"
                >
                  <input
                    type="radio"
                    name="overlap"
                    checked={overlap === choice}
                    onChange={() => setOverlap(choice)}
                  />
                  {choice.label}
                </label>
              ))}
            </div>
          </fieldset>
          <p aria-live="polite">{consequence(apiKey, overlap.hours)}</p>
          {overlap.hours > 0 &&
          rateLimitOf(apiKey, choices.planRateLimit) > choices.planRateLimit ? (
            <Notice variant="warn">
              Only the new key has the limit that an operator set. Until it stops working,{" "}
              {apiKey.hint} is limited to your plan’s {choices.planRateLimit.toLocaleString("en")}{" "}
              requests per minute.
            </Notice>
          ) : null}
          {overlap.hours === 0 && requestsLastDay > 0 ? (
            <Notice variant="warn">
              It was used for {requestsLastDay.toLocaleString("en")} requests in the last 24 hours.
              Programs that use it fail until they have the new key.
            </Notice>
          ) : null}
        </>
      )}
    </FormDialog>
  );
}

function consequence({ hint, expiresAt }: KeySummary, hours: number): string {
  if (hours === 0) return `${hint} stops working within a second. The new key works immediately.`;
  const end = new Date(Date.now() + hours * 3_600_000);
  if (expiresAt && new Date(expiresAt) < end)
    return `Both keys work until ${hint} expires, at ${atTime(new Date(expiresAt))}.`;
  return `Both keys work until ${atTime(end)}. Then ${hint} stops working. Idempotency keys used with it still replay with the new key.`;
}
