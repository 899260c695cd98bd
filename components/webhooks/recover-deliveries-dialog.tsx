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
import { formatDeliveries } from "./format-count";
import { hoursAgo, sendingTime, spans, useCountThenSend, utcTime } from "./use-count-then-send";

type RecoverDeliveriesProps = {
  webhookId: string;
  environment: Environment;
  onClosed: () => void;
  recover: (input: { since: string; dryRun: boolean }) => Promise<ActionResult<{ count: number }>>;
};

/** Resends deliveries that failed or are held since a time. Shows the count and asks first. */
export function RecoverDeliveriesDialog({
  webhookId,
  environment,
  recover,
  onClosed,
}: RecoverDeliveriesProps) {
  const [span, setSpan] = useState("24");
  const [time, setTime] = useState("");
  const { dialog, counted, refused, errors, isPending, onInput, submit, input } = useCountThenSend({
    chosen: () => ({ since: span === "time" ? utcTime(time) : hoursAgo(span) }),
    send: recover,
    onClosed,
    onSent: ({ count }) => toast.success(`${formatDeliveries(count)} will be sent again.`),
  });
  const count = counted?.count ?? null;

  return (
    <Dialog {...dialog}>
      <DialogContent
        title="Resend failed deliveries"
        description={
          <>
            Resends every delivery that failed or was held since this time, in{" "}
            <EnvironmentName environment={environment} />.
          </>
        }
      >
        <form onSubmit={submit} onInput={onInput} className="space-y-4">
          <RefusalNotice refused={refused} />
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label="Created in"
              value={span}
              onChange={(event) => setSpan(event.currentTarget.value)}
            >
              {spans.map(({ label, hours }) => (
                <option key={hours} value={hours}>
                  {label}
                </option>
              ))}
              <option value="time">Since a time…</option>
            </SelectField>
            {span === "time" ? (
              <TextField
                label="Since (UTC)"
                name="since"
                type="datetime-local"
                required
                value={time}
                onChange={(event) => setTime(event.currentTarget.value)}
                error={errors.since}
              />
            ) : null}
          </div>
          <p aria-live="polite" className={count === null ? "text-muted" : ""}>
            {count === null
              ? "Deliveries are counted first. Nothing is sent yet."
              : consequence(count)}
          </p>
          <DialogButtons
            aside={
              <ShowApiCall
                call={() => ({
                  operationId: "recoverWebhookDeliveries",
                  ids: { webhookId },
                  body: input(),
                })}
              />
            }
          >
            <Button type="submit" disabled={isPending || count === 0}>
              {buttonLabel(count, isPending)}
            </Button>
          </DialogButtons>
        </form>
      </DialogContent>
    </Dialog>
  );
}

function buttonLabel(count: number | null, isPending: boolean): string {
  if (isPending) return count === null ? "Counting…" : "Sending…";
  return count === null ? "Count deliveries" : `Send ${count.toLocaleString("en")} again`;
}

function consequence(count: number): string {
  if (count === 0) return "No deliveries failed or are held since then.";
  return `${formatDeliveries(count)} failed or ${count === 1 ? "is" : "are"} held since then. Resending ${count === 1 ? "it" : "them"} takes about ${sendingTime(count)}. Each starts a new retry schedule.`;
}
