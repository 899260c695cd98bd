"use client";

import { Plus } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { EnvironmentName } from "./environment-name";

type CreateDialogProps = {
  /** The button's words, and the dialog's. */
  title: string;
  environment: Environment;
  create: (form: FormData) => Promise<ActionResult<{ id: string }>>;
  /** Where what was created is looked at: its id comes behind it. */
  path: string;
  /** Where there is room for its sign alone. */
  isIcon?: boolean;
  /** The form's fields, given what is wrong with each by its name. */
  children: (errors: Record<string, string>) => ReactNode;
};

/**
 * A short form for something new; once it is there, one goes and looks at it. Refused, what was
 * typed stays.
 */
export function CreateDialog({
  title,
  environment,
  create,
  path,
  isIcon = false,
  children,
}: CreateDialogProps) {
  const router = useRouter();
  const [refused, setRefused] = useState<Extract<ActionResult, { outcome: "refused" }> | null>(
    null,
  );
  const { dialog, close, isPending, startTransition } = useDialogState(() => setRefused(null));

  function submit(event: FormEvent<HTMLFormElement>) {
    // Not the form's `action`: React empties a form after its action.
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const result = await create(form);
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      close();
      router.push(`${path}/${result.value.id}`);
    });
  }

  return (
    <Dialog {...dialog}>
      <DialogTrigger
        className={buttonClass(isIcon ? { variant: "quiet", size: "icon" } : {})}
        aria-label={isIcon ? title : undefined}
      >
        <Plus className="size-4" aria-hidden="true" />
        {isIcon ? null : title}
      </DialogTrigger>
      <DialogContent
        title={title}
        description={
          <>
            It will be in <EnvironmentName environment={environment} /> only.
          </>
        }
      >
        <form onSubmit={submit} className="space-y-4">
          {refused && Object.keys(refused.errors).length === 0 ? (
            <Notice>
              {refused.message}
              {refused.existingId ? (
                <Link
                  href={`${path}/${refused.existingId}`}
                  className="ml-1 font-medium underline underline-offset-2"
                >
                  Open it
                </Link>
              ) : null}
            </Notice>
          ) : null}
          {children(refused?.errors ?? {})}
          <div className="flex justify-end">
            <Button type="submit" disabled={isPending}>
              {isPending ? "Creating…" : title}
            </Button>
          </div>
        </form>
      </DialogContent>
    </Dialog>
  );
}
