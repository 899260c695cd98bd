"use client";

import dynamic from "next/dynamic";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { toast } from "@/components/ui/toast";
import { useMetadataEdit } from "@/components/ui/use-metadata-edit";
import type { Metadata } from "@/lib/platform/metadata";
import type { Environment } from "@/prisma/generated/enums";
import type { UpdateConversationAction } from "./action-types";

const MetadataField = dynamic(() =>
  import("@/components/ui/metadata-field").then((module) => module.MetadataField),
);

type Props = {
  conversationId: string;
  metadata: Metadata;
  environment: Environment;
  update: UpdateConversationAction;
};

/** Edits metadata in a dialog, because there is no room for keys and values next to the thread. */
export function EditMetadataDialog({ conversationId, metadata, environment, update }: Props) {
  const { rows, setRows, isInvalid, patch, restart } = useMetadataEdit(metadata);

  return (
    <FormDialog
      trigger="Edit metadata"
      variant="secondary"
      size="small"
      className="mt-3"
      title="Edit metadata"
      description={
        <>
          For this conversation in <EnvironmentName environment={environment} />. Webhooks receive
          the change.
        </>
      }
      submit="Save"
      pending="Saving…"
      isInvalid={isInvalid}
      send={() => update({ metadata: patch() })}
      onDone={() => toast.success("Metadata updated.")}
      onOpen={restart}
      apiCall={() => ({
        operationId: "updateConversation",
        ids: { conversationId },
        body: { metadata: patch() },
      })}
    >
      {(errors) => (
        <MetadataField
          rows={rows}
          onChange={setRows}
          hint="Your own notes: at most 50 keys."
          errors={errors}
        />
      )}
    </FormDialog>
  );
}
