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
  /** The text of the button and the title of the dialog. */
  title: string;
  environment: Environment;
  create: (form: FormData) => Promise<ActionResult<{ id: string }>>;
  /** The path of the new object's page, without its ID. */
  path: string;
  /** Shows the icon only. */
  isIcon?: boolean;
  /** Renders the form's fields, given their errors by field name. */
  children: (errors: Record<string, string>) => ReactNode;
};

/** A short form that creates an object and opens its page. If it is refused, the input stays. */
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
    // Not the form's `action`, because React resets a form after its action.
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
            Created in <EnvironmentName environment={environment} /> only.
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
