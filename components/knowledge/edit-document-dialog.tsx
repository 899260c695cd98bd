"use client";

import { useState } from "react";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextField } from "@/components/ui/field";
import { MetadataField } from "@/components/ui/metadata-field";
import { toast } from "@/components/ui/toast";
import { useMetadataEdit } from "@/components/ui/use-metadata-edit";
import type { Document, UpdateDocument } from "@/lib/knowledge/documents/schema";
import type { UpdateDocumentAction } from "./action-types";

type Props = {
  document: Pick<Document, "id" | "knowledgeBaseId" | "name" | "metadata">;
  update: UpdateDocumentAction;
};

/** Sends only what changed since it was opened, so that edits by others in the meantime stay. */
export function EditDocumentDialog({ document, update }: Props) {
  const [seen, setSeen] = useState(document);
  const { rows, setRows, isInvalid, patch, restart } = useMetadataEdit(document.metadata);

  function changes(form: FormData): UpdateDocument {
    const name = String(form.get("name")).trim();
    const metadata = patch();
    return {
      ...(name !== seen.name && { name }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
  }

  return (
    <FormDialog
      trigger="Edit…"
      variant="secondary"
      title="Edit document"
      description="Searches show the new name immediately."
      submit="Save"
      pending="Saving…"
      isInvalid={isInvalid}
      send={(form) => update(changes(form))}
      onDone={() => toast.success("Document updated.")}
      apiCall={(form) => ({
        operationId: "updateDocument",
        ids: { knowledgeBaseId: document.knowledgeBaseId, documentId: document.id },
        body: changes(form),
      })}
      onOpen={() => {
        setSeen(document);
        restart();
      }}
    >
      {(errors) => (
        <>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={255}
            autoComplete="off"
            defaultValue={seen.name}
            error={errors.name}
          />
          <MetadataField rows={rows} onChange={setRows} errors={errors} />
        </>
      )}
    </FormDialog>
  );
}
