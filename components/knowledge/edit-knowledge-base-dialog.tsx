"use client";

import { useState } from "react";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import { MetadataField } from "@/components/ui/metadata-field";
import { toast } from "@/components/ui/toast";
import { useMetadataEdit } from "@/components/ui/use-metadata-edit";
import type { KnowledgeBase, UpdateKnowledgeBase } from "@/lib/knowledge/bases/schema";
import type { UpdateKnowledgeBaseAction } from "./action-types";

type Props = {
  knowledgeBase: Pick<KnowledgeBase, "id" | "name" | "description" | "metadata">;
  base: string;
  update: UpdateKnowledgeBaseAction;
};

/** Sends only what changed since it was opened, so that edits by others in the meantime stay. */
export function EditKnowledgeBaseDialog({ knowledgeBase, base, update }: Props) {
  const [seen, setSeen] = useState(knowledgeBase);
  const { rows, setRows, isInvalid, patch, restart } = useMetadataEdit(knowledgeBase.metadata);

  function changes(form: FormData): UpdateKnowledgeBase {
    const name = String(form.get("name")).trim();
    const description = String(form.get("description")).trim() || null;
    const metadata = patch();
    return {
      ...(name !== seen.name && { name }),
      ...(description !== seen.description && { description }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
  }

  return (
    <FormDialog
      trigger="Edit…"
      variant="secondary"
      title="Edit knowledge base"
      description="Agents find it by its id, so they keep using it."
      submit="Save"
      pending="Saving…"
      isInvalid={isInvalid}
      send={(form) => update(changes(form))}
      onDone={() => toast.success("Knowledge base updated.")}
      apiCall={(form) => ({
        operationId: "updateKnowledgeBase",
        ids: { knowledgeBaseId: knowledgeBase.id },
        body: changes(form),
      })}
      onOpen={() => {
        setSeen(knowledgeBase);
        restart();
      }}
      existingPath={`${base}/knowledge`}
    >
      {(errors) => (
        <>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={200}
            autoComplete="off"
            defaultValue={seen.name}
            error={errors.name}
            hint="Must be unique in this environment."
          />
          <TextAreaField
            label="Description"
            name="description"
            maxLength={2_000}
            rows={3}
            defaultValue={seen.description ?? ""}
            error={errors.description}
          />
          <MetadataField rows={rows} onChange={setRows} errors={errors} />
        </>
      )}
    </FormDialog>
  );
}
