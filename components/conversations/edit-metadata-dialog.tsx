"use client";

import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { EditForm } from "@/components/ui/edit-form";
import { MetadataField } from "@/components/ui/metadata-field";
import type { Metadata } from "@/lib/platform/metadata";
import {
  fromMetadataRows,
  metadataPatch,
  metadataProblem,
  toMetadataRows,
} from "@/lib/platform/metadata-rows";
import type { Environment } from "@/prisma/generated/enums";
import type { UpdateConversationAction } from "./action-types";

type Props = { metadata: Metadata; environment: Environment; update: UpdateConversationAction };

/** In a dialog, because there is no room for keys and values next to the thread. */
export function EditMetadataDialog({ metadata, environment, update }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog open={isOpen} onOpenChange={setIsOpen}>
      <DialogTrigger
        className={buttonClass({ variant: "secondary", size: "small", className: "mt-3" })}
      >
        Edit metadata
      </DialogTrigger>
      <DialogContent
        title="Edit metadata"
        description={
          <>
            For this conversation in <EnvironmentName environment={environment} />. Webhooks receive
            the change.
          </>
        }
      >
        <EditMetadata metadata={metadata} update={update} close={() => setIsOpen(false)} />
      </DialogContent>
    </Dialog>
  );
}

/**
 * Sends only what changed, so that keys that others change in the meantime stay. Mounted each time the dialog opens.
 */
function EditMetadata({
  metadata,
  update,
  close,
}: Pick<Props, "metadata" | "update"> & { close: () => void }) {
  const [seen] = useState(metadata);
  const [rows, setRows] = useState(() => toMetadataRows(seen));
  const save = () =>
    metadataProblem(rows)
      ? null
      : update({ metadata: metadataPatch(seen, fromMetadataRows(rows)) });

  return (
    <EditForm save={save} done="Metadata updated." onSaved={close}>
      {(errors) => (
        <MetadataField
          rows={rows}
          onChange={setRows}
          hint="Your own notes: at most 50 keys."
          errors={errors}
        />
      )}
    </EditForm>
  );
}
