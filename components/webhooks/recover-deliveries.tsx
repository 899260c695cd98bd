"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { SelectField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import type { ActionResult, Refusal } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { formatDeliveries } from "./format-count";

const hourMs = 3_600_000;
const spans = [
  { label: "The last hour", hours: 1 },
  { label: "The last 24 hours", hours: 24 },
  { label: "The last 7 days", hours: 168 },
  { label: "The last 30 days", hours: 720 },
];

type RecoverDeliveriesProps = {
  environment: Environment;
  recover: (input: { since: string; dryRun: boolean }) => Promise<ActionResult<{ count: number }>>;
};

/** Resends deliveries that failed or are held since a time. Shows the count and asks first. */
export function RecoverDeliveries({ environment, recover }: RecoverDeliveriesProps) {
  const [span, setSpan] = useState("24");
  const [time, setTime] = useState("");
  const [counted, setCounted] = useState<{ since: string; count: number } | null>(null);
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState({
    onChange: forget,
  });

  function forget() {
    setCounted(null);
    setRefused(null);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const since =
      counted?.since ??
      (span === "time"
        ? `${time}:00Z`
        : new Date(Date.now() - Number(span) * hourMs).toISOString());
    startTransition(async () => {
      const result = await recover({ since, dryRun: counted === null });
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      const { count } = result.value;
      if (counted === null) {
        setCounted({ since, count });
        return;
      }
      close();
      toast.success(`${formatDeliveries(count)} will be sent again.`);
    });
  }

  return (
    <Dialog {...dialog}>
      <DialogTrigger className={buttonClass({ variant: "secondary", size: "small" })}>
        Recover…
      </DialogTrigger>
      <DialogContent
        title="Resend failed deliveries"
        description={
          <>
            Resends every delivery that failed or was held since this time, in{" "}
            <EnvironmentName environment={environment} />.
          </>
        }
      >
        <form onSubmit={submit} className="space-y-4">
          {refused && !refused.errors.since ? <Notice>{refused.message}</Notice> : null}
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label="Created in"
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
              <option value="time">Since a time…</option>
            </SelectField>
            {span === "time" ? (
              <TextField
                label="Since (UTC)"
                type="datetime-local"
                required
                value={time}
                onChange={(event) => {
                  setTime(event.currentTarget.value);
                  forget();
                }}
                error={refused?.errors.since}
              />
            ) : null}
          </div>
          <p aria-live="polite" className={counted ? "" : "text-muted"}>
            {counted
              ? consequence(counted.count)
              : "Deliveries are counted first. Nothing is sent yet."}
          </p>
          <DialogButtons>
            <Button type="submit" disabled={isPending || counted?.count === 0}>
              {label(counted, isPending)}
            </Button>
          </DialogButtons>
        </form>
      </DialogContent>
    </Dialog>
  );
}
