"use client";

import { CreateDialog } from "@/components/shell/create-dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import type { Environment } from "@/prisma/generated/enums";
import type { CreateKnowledgeBase } from "./action-types";

type Props = { base: string; environment: Environment; create: CreateKnowledgeBase };

export function CreateKnowledgeBaseDialog({ base, environment, create }: Props) {
  return (
    <CreateDialog
      title="Create knowledge base"
      environment={environment}
      create={create}
      path={`${base}/knowledge`}
      apiCall={(form) => ({ operationId: "createKnowledgeBase", body: trimmedFields(form) })}
    >
      {(errors) => (
        <>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={200}
            autoComplete="off"
            error={errors.name}
            hint="Must be unique in this environment. It cannot be changed later."
          />
          <TextAreaField
            label="Description"
            name="description"
            maxLength={2_000}
            rows={3}
            error={errors.description}
          />
        </>
      )}
    </CreateDialog>
  );
}
