"use client";

import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { toast } from "@/components/ui/toast";
import { KeyFields } from "./key-fields";
import type { KeyActions, KeyChoices, KeySummary } from "./types";

type Props = {
  apiKey: KeySummary;
  choices: KeyChoices;
  updateKey: KeyActions["update"];
  onClosed: () => void;
};

export function EditKeyDialog({ apiKey, choices, updateKey, onClosed }: Props) {
  return (
    <FormDialog
      title={`Edit “${apiKey.name}”`}
      description={
        <>
          The key <code className="font-mono text-xs">{apiKey.hint}</code> in{" "}
          <EnvironmentName environment={choices.environment} /> stays the same. Changes apply within
          a second.
        </>
      }
      submit="Save changes"
      pending="Saving…"
      isLong
      send={(form) => updateKey(apiKey.id, form)}
      onDone={(_, form) => toast.success(`API key “${String(form.get("name"))}” updated.`)}
      onClosed={onClosed}
    >
      {(errors) => <KeyFields choices={choices} changed={apiKey} errors={errors} />}
    </FormDialog>
  );
}
