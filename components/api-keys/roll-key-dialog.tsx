"use client";

import { useState, useTransition } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof-dialog";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
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
  const [isOpen, setIsOpen] = useState(true);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>(overlaps[2]);
  const [message, setMessage] = useState<string>();
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();
  const { requestsLastDay } = apiKey;

  const roll = () =>
    startTransition(async () => {
      const result = await prove(() => rollKey(apiKey.id, overlap.value));
      if (result.outcome === "done") onRolled(result.value);
      else setMessage(result.message);
    });

  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !isPending && setIsOpen(open)}
      onOpenChangeComplete={(open) => !open && onClosed()}
    >
      <DialogContent
        title={`Roll “${apiKey.name}”?`}
        description={
          <>
            Replaces the key in <EnvironmentName environment={choices.environment} /> with a new one
            that has the same name, scopes, allowed IP addresses and rate limit.
          </>
        }
      >
        <div className="space-y-4">
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
          {overlap.hours === 0 && requestsLastDay > 0 ? (
            <Notice variant="warn">
              It was used for {requestsLastDay.toLocaleString("en")} requests in the last 24 hours.
              Programs that use it fail until they have the new key.
            </Notice>
          ) : null}
          {message ? <Notice>{message}</Notice> : null}
          <div className="flex justify-end gap-2">
            <DialogClose className={buttonClass({ variant: "secondary" })}>Cancel</DialogClose>
            <Button onClick={roll} disabled={isPending}>
              {isPending ? "Rolling…" : `Roll ${choices.environment} key`}
            </Button>
          </div>
        </div>
        {question}
      </DialogContent>
    </Dialog>
  );
}

function consequence({ hint, expiresAt }: KeySummary, hours: number): string {
  if (hours === 0) return `${hint} stops working within a second. The new key works immediately.`;
  const end = new Date(Date.now() + hours * 3_600_000);
  if (expiresAt && new Date(expiresAt) < end)
    return `Both keys work until ${hint} expires, at ${atTime(new Date(expiresAt))}.`;
  return `Both keys work until ${atTime(end)}. Then ${hint} stops working. Idempotency keys used with it still replay with the new key.`;
}
