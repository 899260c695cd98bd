"use client";

import { type FormEvent, useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";

type NameFormProps = {
  label: string;
  name: string;
  autoComplete: string;
  hint?: string;
  rename: (name: string) => Promise<ActionResult>;
};

/** A form for one name. */
export function NameForm({ label, name, autoComplete, hint, rename }: NameFormProps) {
  const [error, setError] = useState<string>();
  const [isPending, startTransition] = useTransition();

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get("name") ?? "");
    startTransition(async () => {
      const result = await rename(typed);
      setError(result.outcome === "refused" ? (result.errors.name ?? result.message) : undefined);
      if (result.outcome === "done") toast.success("Name saved.");
    });
  }

  return (
    <form
      onSubmit={submit}
      onInput={() => setError(undefined)}
      className="flex max-w-md flex-wrap items-start gap-2"
    >
      <div className="min-w-0 flex-1 basis-56">
        <TextField
          label={label}
          name="name"
          autoComplete={autoComplete}
          required
          maxLength={100}
          defaultValue={name}
          hint={hint}
          error={error}
        />
      </div>
      <Button type="submit" variant="secondary" className="mt-6.5" disabled={isPending}>
        {isPending ? "Saving…" : "Save name"}
      </Button>
    </form>
  );
}
