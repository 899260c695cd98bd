"use client";

import { CreateDialog } from "@/components/shell/create-dialog";
import { TextField } from "@/components/ui/field";
import { trimmedFields } from "@/lib/platform/form-fields";
import type { Environment } from "@/prisma/generated/enums";
import type { CreateAgent } from "./action-types";

type Props = { base: string; environment: Environment; create: CreateAgent };

export function CreateAgentDialog({ base, environment, create }: Props) {
  return (
    <CreateDialog
      title="Create agent"
      environment={environment}
      create={create}
      path={`${base}/agents`}
      apiCall={(form) => ({ operationId: "createAgent", body: trimmedFields(form) })}
    >
      {(errors) => (
        <>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={100}
            autoComplete="off"
            error={errors.name}
          />
          <TextField
            label="Description"
            name="description"
            maxLength={500}
            autoComplete="off"
            error={errors.description}
            hint="For your team; customers do not see it."
          />
          <TextField
            label="Model"
            name="model"
            maxLength={100}
            autoComplete="off"
            error={errors.model}
            hint="The model your program calls, in any notation. Optional: you can set it later."
          />
        </>
      )}
    </CreateDialog>
  );
}
