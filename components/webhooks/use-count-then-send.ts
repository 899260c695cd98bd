import { type FormEvent, useState } from "react";
import { useDialogState } from "@/components/ui/use-dialog-state";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import type { ActionResult, Refusal } from "@/lib/platform/action-result";

const hourMs = 3_600_000;

export const spans = [
  { label: "The last hour", hours: 1 },
  { label: "The last 24 hours", hours: 24 },
  { label: "The last 7 days", hours: 168 },
  { label: "The last 30 days", hours: 720 },
];

/** @param hours as text, the value of a chosen span */
export const hoursAgo = (hours: string): string =>
  new Date(Date.now() - Number(hours) * hourMs).toISOString();

/** @param time the value of a field for a time in UTC, which is empty before one is chosen */
export const utcTime = (time: string): string => (time ? `${time}:00Z` : "");

/** `isMore` means more than `count`. */
export type Counted = { count: number; isMore?: boolean };

type CountThenSend<Input> = {
  /** What the form says now. */
  chosen: () => Input;
  send: (input: Input & { dryRun: boolean }) => Promise<ActionResult<Counted>>;
  onSent: (counted: Counted) => void;
  onClosed: () => void;
};

/**
 * The two steps of a dialog that sends many deliveries: the first submit counts what the form
 * selects, the second sends exactly what was counted.
 */
export function useCountThenSend<Input extends object>({
  chosen,
  send,
  onSent,
  onClosed,
}: CountThenSend<Input>) {
  const [counted, setCounted] = useState<({ input: Input } & Counted) | null>(null);
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState({
    onChange: () => {
      setCounted(null);
      setRefused(null);
    },
    onClosed,
  });
  const { errors, correct, correctEdited } = useFieldErrors(refused);

  /** For the form's `onInput`: what was changed has to be counted again. */
  function onInput(event: FormEvent<HTMLFormElement>) {
    setCounted(null);
    correctEdited(event);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const input = counted?.input ?? chosen();
    startTransition(async () => {
      const result = await send({ ...input, dryRun: counted === null });
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      setRefused(null);
      if (counted === null) {
        setCounted({ input, ...result.value });
        return;
      }
      close();
      onSent(result.value);
    });
  }

  return {
    dialog,
    counted,
    refused,
    errors,
    correct,
    isPending,
    onInput,
    submit,
    /** What is sent in the end. */
    input: () => counted?.input ?? chosen(),
  };
}

/** "12 s" or "3 min": how long it takes to send this many in the background. */
export function sendingTime(count: number): string {
  const seconds = Math.ceil(count / recoveredPerSecond);
  return seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
