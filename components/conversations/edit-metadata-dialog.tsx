"use client";

import { type FormEvent, useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { MetadataField } from "@/components/ui/metadata-field";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/action-result";
import { fromMetadataRows, metadataPatch, repeatedKey, toMetadataRows } from "@/lib/metadata-rows";
import type { Metadata } from "@/lib/schema";
import type { Environment } from "@/prisma/generated/enums";
import type { UpdateThis } from "./states";

type Props = { metadata: Metadata; environment: Environment; update: UpdateThis };

/** In a dialog, because keys with their values have no room beside the thread. */
export function EditMetadataDialog({ metadata, environment, update }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog open={isOpen} onOpenChange={setIsOpen}>
      <DialogTrigger className={buttonClass({ look: "secondary", size: "small", className: "mt-3" })}>Edit metadata</DialogTrigger>
      <DialogContent
        title="Edit the metadata"
        description={
          <>
            Of this conversation, in <EnvironmentName environment={environment} />. Webhooks are told of the change.
          </>
        }
      >
        <EditForm metadata={metadata} update={update} close={() => setIsOpen(false)} />
      </DialogContent>
    </Dialog>
  );
}

/** Sends what differs from what it began with, so that keys that others change meanwhile stay. It begins anew each time. */
function EditForm({ metadata, update, close }: Pick<Props, "metadata" | "update"> & { close: () => void }) {
  const [seen] = useState(metadata);
  const [rows, setRows] = useState(() => toMetadataRows(seen));
  const [refused, setRefused] = useState<Extract<ActionResult, { outcome: "refused" }> | null>(null);
  const [isPending, startTransition] = useTransition();

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending || repeatedKey(rows)) return;
    startTransition(async () => {
      const result = await update({ metadata: metadataPatch(seen, fromMetadataRows(rows)) });
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      close();
      toast.success("The metadata is saved.");
    });
  }

  return (
    <form onSubmit={submit} className="space-y-4">
      {refused && Object.keys(refused.errors).length === 0 ? <Notice>{refused.message}</Notice> : null}
      <MetadataField rows={rows} onChange={setRows} hint="Your own notes: at most 50 keys." errors={refused?.errors ?? {}} />
      <div className="flex justify-end gap-2">
        <DialogClose className={buttonClass({ look: "secondary" })}>Cancel</DialogClose>
        <Button type="submit" disabled={isPending}>
          {isPending ? "Saving…" : "Save"}
        </Button>
      </div>
    </form>
  );
}
