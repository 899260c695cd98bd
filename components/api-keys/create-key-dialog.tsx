"use client";

import { useState, useTransition } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof-dialog";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import type { ActionResult } from "@/lib/platform/action-result";
import { KeyForm } from "./key-form";
import type { KeyActions, KeyChoices, RevealedKey } from "./types";

type Props = {
  choices: KeyChoices;
  createKey: KeyActions["create"];
  onCreated: (key: RevealedKey) => void;
  onClosed: () => void;
};

export function CreateKeyDialog({ choices, createKey, onCreated, onClosed }: Props) {
  const [isOpen, setIsOpen] = useState(true);
  const [environment, setEnvironment] = useState(choices.environment);
  const [result, setResult] = useState<ActionResult<RevealedKey> | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();

  // Not the form's `action`, because React resets a form after its action and refused input must
  // stay.
  const submit = (form: FormData) =>
    startTransition(async () => {
      const result = await prove(() => createKey(form));
      setResult(result);
      if (result.outcome === "done") onCreated(result.value);
    });

  return (
    <Dialog
      open={isOpen}
      disablePointerDismissal
      onOpenChange={(open) => !isPending && setIsOpen(open)}
      onOpenChangeComplete={(open) => !open && onClosed()}
    >
      <DialogContent
        title="Create API key"
        description={
          <>
            Works in <EnvironmentName environment={environment} /> only.
          </>
        }
      >
        <KeyForm
          choices={choices}
          result={result}
          isPending={isPending}
          submit={submit}
          labels={{ submit: `Create ${environment} key`, pending: "Creating…" }}
          environment={{ chosen: environment, onChange: setEnvironment }}
        />
        {question}
      </DialogContent>
    </Dialog>
  );
}
