"use client";

import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { KeyFields } from "./key-fields";
import type { KeyActions, KeyChoices, RevealedKey } from "./types";

type Props = {
  choices: KeyChoices;
  createKey: KeyActions["create"];
  onCreated: (key: RevealedKey) => void;
  onClosed: () => void;
};

export function CreateKeyDialog({ choices, createKey, onCreated, onClosed }: Props) {
  const [environment, setEnvironment] = useState(choices.environment);
  return (
    <FormDialog
      title="Create API key"
      description={
        <>
          Works in <EnvironmentName environment={environment} /> only.
        </>
      }
      submit={`Create ${environment} key`}
      pending="Creating…"
      isLong
      disablePointerDismissal
      send={createKey}
      onDone={onCreated}
      onClosed={onClosed}
    >
      {(errors) => (
        <KeyFields
          choices={choices}
          errors={errors}
          environment={{ chosen: environment, onChange: setEnvironment }}
        />
      )}
    </FormDialog>
  );
}
