"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { SelectField, TextField } from "@/components/ui/field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import type { ActionResult, Refusal } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";

const hourMs = 3_600_000;
const spans = [
  { label: "The last hour", hours: 1 },
  { label: "The last 24 hours", hours: 24 },
  { label: "The last 7 days", hours: 168 },
  { label: "The last 30 days", hours: 720 },
];

const selections = [
  { name: "every", label: "Every event", statuses: undefined },
  { name: "never", label: "Events never sent to it", statuses: ["NONE"] },
  { name: "delivered", label: "Delivered events", statuses: ["DELIVERED"] },
  {
    name: "undelivered",
    label: "Failed, held and discarded events",
    statuses: ["FAILED", "HELD", "DISCARDED"],
  },
] as const;

type ReplayInput = {
  since: string;
  until: string;
  eventTypes?: string[];
  statuses?: readonly string[];
};

type ReplayEventsProps = {
  environment: Environment;
  /** Those that the webhook subscribes to. */
  types: readonly string[];
  replay: (input: ReplayInput & { dryRun: boolean }) => Promise<ActionResult<{ count: number }>>;
};

/** Sends events of a period again, or for the first time. Shows the count and asks first. */
export function ReplayEvents({ environment, types, replay }: ReplayEventsProps) {
  const [span, setSpan] = useState("24");
  const [period, setPeriod] = useState({ since: "", until: "" });
  const [type, setType] = useState("");
  const [selection, setSelection] = useState<string>("every");
  const [counted, setCounted] = useState<(ReplayInput & { count: number }) | null>(null);
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState({ onChange: forget });
  const errors: Record<string, string> = refused?.errors ?? {};

  function forget() {
    setCounted(null);
    setRefused(null);
  }

  /** What was counted is what is sent: the period ends when it was counted. */
  function chosen(): ReplayInput {
    const statuses = selections.find(({ name }) => name === selection)?.statuses;
    const isCustom = span === "time";
    const now = new Date();
    const since = new Date(now.getTime() - Number(span) * hourMs);
    return {
      since: isCustom ? `${period.since}:00Z` : since.toISOString(),
      until: isCustom && period.until ? `${period.until}:00Z` : now.toISOString(),
      ...(type && { eventTypes: [type] }),
      ...(statuses && { statuses }),
    };
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { count: _, ...input } = counted ?? { ...chosen(), count: 0 };
    startTransition(async () => {
      const result = await replay({ ...input, dryRun: counted === null });
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      const { count } = result.value;
      if (counted === null) {
        setCounted({ ...input, count });
        return;
      }
      close();
      toast.success(`Replay started: ${formatEvents(count)}.`);
    });
  }

  return (
    <Dialog {...dialog}>
      <DialogTrigger className={buttonClass({ variant: "secondary", size: "small" })}>
        Replay…
      </DialogTrigger>
      <DialogContent
        title="Replay events"
        description={
          <>
            Sends events of a period to this webhook, in{" "}
            <EnvironmentName environment={environment} />: also those that were delivered, and those
            from before the webhook was created.
          </>
        }
      >
        <form onSubmit={submit} className="space-y-4">
          <RefusalNotice refused={refused} />
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label="Period"
              value={span}
              onChange={(event) => {
                setSpan(event.currentTarget.value);
                forget();
              }}
            >
              {spans.map(({ label, hours }) => (
                <option key={hours} value={hours}>
                  {label}
                </option>
              ))}
              <option value="time">Choose times…</option>
            </SelectField>
            <SelectField
              label="Event type"
              value={type}
              onChange={(event) => {
                setType(event.currentTarget.value);
                forget();
              }}
              error={errors.eventTypes}
            >
              <option value="">All that it subscribes to</option>
              {types.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </SelectField>
            {span === "time"
              ? (["since", "until"] as const).map((name) => (
                  <TextField
                    key={name}
                    label={name === "since" ? "From (UTC)" : "To (UTC), or now"}
                    type="datetime-local"
                    required={name === "since"}
                    value={period[name]}
                    onChange={(event) => {
                      setPeriod({ ...period, [name]: event.currentTarget.value });
                      forget();
                    }}
                    error={errors[name]}
                  />
                ))
              : null}
            <SelectField
              label="Which events"
              value={selection}
              onChange={(event) => {
                setSelection(event.currentTarget.value);
                forget();
              }}
            >
              {selections.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </SelectField>
          </div>
          <p aria-live="polite" className={counted ? "" : "text-muted"}>
            {counted
              ? consequence(counted.count)
              : "Events are counted first. Nothing is sent yet."}
          </p>
          <DialogButtons>
            <Button type="submit" disabled={isPending || counted?.count === 0}>
              {buttonLabel(counted, isPending)}
            </Button>
          </DialogButtons>
        </form>
      </DialogContent>
    </Dialog>
  );
}
