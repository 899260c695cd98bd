"use client";

import { type FormEvent, useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { ShowApiCall } from "@/components/shell/show-api-call";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import type { Environment } from "@/prisma/generated/enums";

const hourMs = 3_600_000;
const longestDays = 365;

type SnoozeDialogProps = {
  conversationId: string;
  isOpen: boolean;
  isPending: boolean;
  environment: Environment;
  onOpenChange: (isOpen: boolean) => void;
  snooze: (until: Date) => void;
};

/** All times are in the browser's time zone. */
export function SnoozeDialog({
  conversationId,
  isOpen,
  isPending,
  environment,
  onOpenChange,
  snooze,
}: SnoozeDialogProps) {
  return (
    <Dialog open={isOpen} onOpenChange={onOpenChange}>
      <DialogContent
        title="Snooze until"
        description={
          <>
            It reopens at that time, or when the customer writes, in{" "}
            <EnvironmentName environment={environment} />.
          </>
        }
      >
        <Choices conversationId={conversationId} isPending={isPending} snooze={snooze} />
      </DialogContent>
    </Dialog>
  );
}

/** Mounted each time the dialog opens, so that the choices are relative to that time. */
function Choices({
  conversationId,
  isPending,
  snooze,
}: Pick<SnoozeDialogProps, "conversationId" | "isPending" | "snooze">) {
  const [now] = useState(() => new Date());
  const [error, setError] = useState<string>();
  const presets = [
    { name: "In 1 hour", until: new Date(now.getTime() + hourMs) },
    { name: "In 4 hours", until: new Date(now.getTime() + 4 * hourMs) },
    { name: "Tomorrow", until: nineOClock(now, 1) },
    { name: "Next Monday", until: nineOClock(now, (8 - now.getDay()) % 7 || 7) },
  ];

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const until = untilIn(new FormData(event.currentTarget));
    const days = (until.getTime() - Date.now()) / (24 * hourMs);
    if (!(days > 0)) setError("Choose a time in the future.");
    else if (days > longestDays) setError("Choose a time within a year.");
    else snooze(until);
  }

  return (
    <>
      <ul className="grid gap-2 sm:grid-cols-2">
        {presets.map(({ name, until }) => (
          <li key={name}>
            <Button
              variant="secondary"
              className="w-full justify-between"
              disabled={isPending}
              onClick={() => snooze(until)}
            >
              {name}
              <span className="font-normal text-muted">{shortTime(until, now)}</span>
            </Button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={onSubmit}
        onInput={() => setError(undefined)}
        noValidate
        className="mt-5 space-y-4 border-line border-t pt-4"
      >
        <TextField label="Another time" name="until" type="datetime-local" error={error} />
        <div className="flex flex-wrap justify-between gap-2">
          <ShowApiCall
            call={(form) => {
              const until = untilIn(form);
              const isChosen = !Number.isNaN(until.getTime());
              // Without a time of its own, the form shows the call of the first choice.
              const snoozedUntil = isChosen ? until : new Date(now.getTime() + hourMs);
              return {
                operationId: "updateConversation",
                ids: { conversationId },
                body: { status: "SNOOZED", snoozedUntil: snoozedUntil.toISOString() },
              };
            }}
          />
          <Button type="submit" disabled={isPending}>
            Snooze
          </Button>
        </div>
      </form>
    </>
  );
}

/** An invalid date, if none was chosen. */
const untilIn = (form: FormData) => new Date(String(form.get("until")));

function nineOClock(from: Date, daysAhead: number): Date {
  return new Date(from.getFullYear(), from.getMonth(), from.getDate() + daysAhead, 9);
}

function shortTime(at: Date, now: Date): string {
  const isToday = at.toDateString() === now.toDateString();
  const options: Intl.DateTimeFormatOptions = {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  };
  return at.toLocaleString("en-US", isToday ? options : { ...options, weekday: "short" });
}
