"use client";

import { CreateDialog } from "@/components/shell/create-dialog";
import { SelectField, TextAreaField, TextField } from "@/components/ui/field";
import { trimmedFields } from "@/lib/platform/form-fields";
import type { Environment, Language } from "@/prisma/generated/enums";
import type { CreateKnowledgeBase } from "./action-types";
import { languageName } from "./language-names";

type Props = {
  base: string;
  environment: Environment;
  languages: readonly Language[];
  create: CreateKnowledgeBase;
};

export function CreateKnowledgeBaseDialog({ base, environment, languages, create }: Props) {
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
            hint="Must be unique in this environment."
          />
          <TextAreaField
            label="Description"
            name="description"
            maxLength={2_000}
            rows={3}
            error={errors.description}
          />
          <SelectField
            label="Language"
            name="language"
            defaultValue=""
            error={errors.language}
            hint="With a language, a search for “return” also finds “returned”. It cannot be changed later."
          >
            <option value="">Several, or another one</option>
            {languages
              .map((language) => ({ language, name: languageName(language) }))
              .toSorted((a, b) => (a.name < b.name ? -1 : 1))
              .map(({ language, name }) => (
                <option key={language} value={language}>
                  {name}
                </option>
              ))}
          </SelectField>
        </>
      )}
    </CreateDialog>
  );
}
