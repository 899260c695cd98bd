"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import type { Environment } from "@/prisma/generated/enums";
import { type UploadResult, uploadFile } from "./upload-file";

type Props = { url: string; environment: Environment; documentsPath: string };

/**
 * Creates a document from pasted text. It is uploaded like a file, so it can be as long as one.
 */
export function PasteTextDialog({ url, environment, documentsPath }: Props) {
  const router = useRouter();
  const [sent, setSent] = useState<UploadResult | null>(null);
  const { dialog, close, isPending, startTransition } = useDialogState(() => setSent(null));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = String(form.get("name")).trim();
    // The extension of the name selects the type of text. Without one, it is plain text.
    const file = new File([String(form.get("text"))], name, { type: "text/plain" });
    startTransition(async () => {
      const result = await uploadFile(url, file, { name });
      setSent(result);
      if (result.outcome !== "done") return;
      close();
      toast.success(`“${name}” is added. It is being read.`);
      router.refresh();
    });
  }

  const refused = sent?.outcome === "refused" ? sent : null;
  const message =
    sent?.outcome === "broken-off"
      ? sent.message
      : refused && !refused.errors.name
        ? refused.message
        : null;
  return (
    <Dialog {...dialog}>
      <DialogTrigger className={buttonClass({ variant: "secondary" })}>Paste text…</DialogTrigger>
      <DialogContent
        title="Paste text"
        description={
          <>
            It will be in <EnvironmentName environment={environment} /> only.
          </>
        }
      >
        <form onSubmit={submit} className="space-y-4">
          {message ? (
            <Notice>
              {message}{" "}
              {refused?.existingId ? (
                <a
                  href={`${documentsPath}/${refused.existingId}`}
                  className="underline underline-offset-2"
                >
                  Show that document
                </a>
              ) : null}
            </Notice>
          ) : null}
          <TextField
            label="Name"
            name="name"
            required
            maxLength={255}
            autoComplete="off"
            error={refused?.errors.name}
            hint="An extension such as .md or .csv sets the type of text."
          />
          <TextAreaField label="Text" name="text" required rows={10} />
          <div className="flex justify-end">
            <Button type="submit" disabled={isPending}>
              {isPending ? "Adding…" : "Add document"}
            </Button>
          </div>
        </form>
      </DialogContent>
    </Dialog>
  );
}
