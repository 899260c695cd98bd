"use client";

import Link from "next/link";
import { type FormEvent, type ReactNode, useState, useTransition } from "react";
import { toast } from "sonner";
import { Button, buttonClass } from "@/components/ui/button";
import { DialogClose } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/platform/action-result";

type EditFormProps = {
  /** @returns null if there is nothing to send */
  save: (form: FormData) => Promise<ActionResult<unknown>> | null;
  /** The toast after saving. */
  done: string;
  onSaved: () => void;
  /** The path of the object that caused a conflict, without its id. */
  path?: string;
  /** Renders the fields, given the errors by field name. */
  children: (errors: Record<string, string>) => ReactNode;
};

/** The form of an edit dialog. If the server rejects it, it stays open and shows why. */
export function EditForm({ save, done, onSaved, path, children }: EditFormProps) {
  const [refused, setRefused] = useState<Extract<ActionResult, { outcome: "refused" }> | null>(
    null,
  );
  const [isPending, startTransition] = useTransition();
  const errors = refused?.errors ?? {};

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const result = await save(form);
      if (!result) return;
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      onSaved();
      toast.success(done);
    });
  }

  return (
    <form onSubmit={submit} className="space-y-4">
      {refused && (errors[""] || Object.keys(errors).length === 0) ? (
        <Notice>
          {errors[""] ?? refused.message}
          {path && refused.existingId ? (
            <Link
              href={`${path}/${refused.existingId}`}
              className="ml-1 font-medium underline underline-offset-2"
            >
              Open it
            </Link>
          ) : null}
        </Notice>
      ) : null}
      {children(errors)}
      <div className="flex justify-end gap-2">
        <DialogClose className={buttonClass({ variant: "secondary" })}>Cancel</DialogClose>
        <Button type="submit" disabled={isPending}>
          {isPending ? "Saving…" : "Save"}
        </Button>
      </div>
    </form>
  );
}
