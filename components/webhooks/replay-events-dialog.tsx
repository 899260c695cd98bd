"use client";

import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { ShowApiCall } from "@/components/shell/show-api-call";
import { Button } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { SelectField, TextField } from "@/components/ui/field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import {
  type Counted,
  hoursAgo,
  sendingTime,
  spans,
  useCountThenSend,
  utcTime,
} from "./use-count-then-send";

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
  webhookId: string;
  environment: Environment;
  onClosed: () => void;
  /** Those that the webhook subscribes to. */
  types: readonly string[];
  replay: (input: ReplayInput & { dryRun: boolean }) => Promise<ActionResult<Counted>>;
};

/** Sends events of a period again, or for the first time. Shows the count and asks first. */
export function ReplayEventsDialog({
  webhookId,
  environment,
  types,
  replay,
  onClosed,
}: ReplayEventsProps) {
  const [span, setSpan] = useState("24");
  const [period, setPeriod] = useState({ since: "", until: "" });
  const [type, setType] = useState("");
  const [selection, setSelection] = useState<string>("every");
  const { dialog, counted, refused, errors, correct, isPending, onInput, submit, input } =
    useCountThenSend({
      chosen,
      send: replay,
      onClosed,
      onSent: (sent) => toast.success(`Replay started: ${formatEvents(sent)}.`),
    });

  /** What was counted is what is sent: the period ends when it was counted. */
  function chosen(): ReplayInput {
    const statuses = selections.find(({ name }) => name === selection)?.statuses;
    const isCustom = span === "time";
    return {
      since: isCustom ? utcTime(period.since) : hoursAgo(span),
      until: isCustom && period.until ? utcTime(period.until) : new Date().toISOString(),
      ...(type && { eventTypes: [type] }),
      ...(statuses && { statuses }),
    };
  }

  return (
    <Dialog {...dialog}>
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
        <form onSubmit={submit} onInput={onInput} className="space-y-4">
          <RefusalNotice refused={refused} />
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label="Period"
              value={span}
              onChange={(event) => setSpan(event.currentTarget.value)}
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
              name="eventTypes"
              value={type}
              onChange={(event) => setType(event.currentTarget.value)}
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
                    name={name}
                    label={name === "since" ? "From (UTC)" : "To (UTC), or now"}
                    type="datetime-local"
                    required={name === "since"}
                    value={period[name]}
                    onChange={(event) => {
                      setPeriod({ ...period, [name]: event.currentTarget.value });
                      // The end is refused if it is before the start.
                      correct("until");
                    }}
                    error={errors[name]}
                  />
                ))
              : null}
            <SelectField
              label="Which events"
              value={selection}
              onChange={(event) => setSelection(event.currentTarget.value)}
            >
              {selections.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </SelectField>
          </div>
          <p aria-live="polite" className={counted === null ? "text-muted" : ""}>
            {counted === null
              ? "Events are counted first. Nothing is sent yet."
              : consequence(counted)}
          </p>
          <DialogButtons
            aside={
              <ShowApiCall
                call={() => ({
                  operationId: "replayWebhook",
                  ids: { webhookId },
                  body: input(),
                })}
              />
            }
          >
            <Button type="submit" disabled={isPending || (counted !== null && isNone(counted))}>
              {buttonLabel(counted, isPending)}
            </Button>
          </DialogButtons>
        </form>
      </DialogContent>
    </Dialog>
  );
}

const isNone = ({ count, isMore }: Counted) => count === 0 && !isMore;

const formatEvents = ({ count, isMore }: Counted) =>
  `${isMore ? "more than " : ""}${count.toLocaleString("en")} ${count === 1 ? "event" : "events"}`;

function buttonLabel(counted: Counted | null, isPending: boolean): string {
  if (isPending) return counted === null ? "Counting…" : "Starting…";
  return counted === null ? "Count events" : `Replay ${formatEvents(counted)}`;
}

function consequence(counted: Counted): string {
  const { count, isMore } = counted;
  if (isNone(counted)) return "No events match.";
  const found = isMore
    ? `The first 20,000 events of the period were counted: ${count.toLocaleString("en")} match, and more may follow.`
    : `${formatEvents(counted)} ${count === 1 ? "matches" : "match"}. Sending takes about ${sendingTime(count)}, oldest first.`;
  return `${found} Each event keeps its id and gets a new retry schedule.`;
}
