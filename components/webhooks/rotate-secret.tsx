"use client";

import { type FormEvent, useId, useState, useTransition } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof-dialog";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { Environment } from "@/prisma/generated/enums";
import type { NewSecret, RotateSecret as Rotate } from "./action-types";
import { NewSecretDialog } from "./new-secret-dialog";

const overlaps = [
  {
    seconds: 86_400,
    label: "For 24 hours",
    note: "Every delivery carries both signatures. Deploy the new secret in the meantime.",
  },
  {
    seconds: 3_600,
    label: "For an hour",
    note: "The same, for receivers that you can update quickly.",
  },
  {
    seconds: 0,
    label: "No overlap",
    note: "Every older secret expires immediately. Choose this if a secret has leaked.",
  },
];

type RotateSecretProps = {
  environment: Environment;
  hint: string;
  /** Two secrets already sign. A third one is rejected, unless the older ones expire. */
  isOverlapping: boolean;
  rotate: Rotate;
};

export function RotateSecret({ environment, hint, isOverlapping, rotate }: RotateSecretProps) {
  const name = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [overlap, setOverlap] = useState(86_400);
  const [message, setMessage] = useState<string | null>(null);
  const [shown, setShown] = useState<NewSecret | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();

  function open(isToOpen: boolean) {
    if (isPending) return;
    setIsOpen(isToOpen);
    setMessage(null);
    setOverlap(isOverlapping ? 0 : 86_400);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setMessage(null);
    startTransition(async () => {
      const result = await prove(() => rotate(overlap));
      if (result.outcome === "refused") {
        setMessage(result.message);
        return;
      }
      setIsOpen(false);
      setShown(result.value);
    });
  }

  return (
    <>
      <Dialog open={isOpen} onOpenChange={open}>
        <DialogTrigger className={buttonClass({ variant: "secondary", size: "small" })}>
          Rotate secret
        </DialogTrigger>
        <DialogContent
          title="Rotate the signing secret?"
          description={
            <>
              <code className="font-mono text-xs">{hint}</code> signs in{" "}
              <EnvironmentName environment={environment} /> now. A new one takes its place.
            </>
          }
        >
          <form onSubmit={submit} className="space-y-4">
            {message ? <Notice>{message}</Notice> : null}
            {isOverlapping ? (
              <Notice variant="warn">
                Two secrets are already active. You can start another overlap once the older one has
                expired.
              </Notice>
            ) : null}
            <fieldset className="space-y-2">
              <legend className="mb-2 font-medium">Keep signing with the old secret too</legend>
              {overlaps.map(({ seconds, label, note }) => (
                <label key={seconds} className="flex items-start gap-2.5 has-disabled:opacity-60">
                  <input
                    type="radio"
                    name={name}
                    className="mt-1"
                    checked={overlap === seconds}
                    disabled={isOverlapping && seconds > 0}
                    onChange={() => setOverlap(seconds)}
                  />
                  <span>
                    {label}
                    <span className="block text-muted">{note}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            <div className="flex flex-wrap justify-end gap-2">
              <DialogClose className={buttonClass({ variant: "secondary" })}>Cancel</DialogClose>
              <Button
                type="submit"
                variant={overlap === 0 ? "danger" : "primary"}
                disabled={isPending}
              >
                {isPending
                  ? "Rotating…"
                  : overlap === 0
                    ? "Rotate and expire older secrets"
                    : "Rotate secret"}
              </Button>
            </div>
          </form>
          {question}
        </DialogContent>
      </Dialog>
      {shown ? (
        <NewSecretDialog
          title="Copy the new secret now"
          shown={shown}
          environment={environment}
          onClosed={() => setShown(null)}
        />
      ) : null}
    </>
  );
}
