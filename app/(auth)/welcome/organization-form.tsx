"use client";

import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { useActionForm } from "../use-action-form";
import { createOrganizationAction } from "./actions";

export function OrganizationForm() {
  const { state, errors, form } = useActionForm(createOrganizationAction);
  const { message, values } = state;
  return (
    <form {...form} className="space-y-5">
      {message ? <Notice>{message}</Notice> : null}
      <TextField
        label="Name"
        name="name"
        autoComplete="organization"
        required
        maxLength={100}
        defaultValue={values?.name}
        error={errors.name}
      />
      <SubmitButton pending="Creating…" className="w-full">
        Create organization
      </SubmitButton>
    </form>
  );
}
