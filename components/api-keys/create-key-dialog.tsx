"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof";
import type { ActionResult } from "@/lib/action-result";
import { KeyDialog } from "./key-dialog";
import { KeyForm } from "./key-form";
import type { KeyActions, KeyChoices, ShownKey } from "./states";

type Props = { choices: KeyChoices; createKey: KeyActions["create"]; onCreated?: (key: ShownKey) => void; onClosed: () => void };

export function CreateKeyDialog({ choices, createKey, onCreated, onClosed }: Props) {
  const router = useRouter();
  const [environment, setEnvironment] = useState(choices.environment);
  const [result, setResult] = useState<ActionResult<ShownKey> | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();
  const created = result?.outcome === "done" ? result.value : null;

  // Not the form's `action`: React empties a form after its action, and what was refused should stand as it was.
  const submit = (form: FormData) =>
    startTransition(async () => {
      const result = await prove(() => createKey(form));
      setResult(result);
      if (result.outcome === "done") onCreated?.(result.value);
    });

  function closed() {
    onClosed();
    // The key lies in the other environment's list: go and see it there.
    if (created && created.environment !== choices.environment) router.push(`/${choices.tenantSlug}/${created.environment}/api-keys`);
  }

  return (
    <KeyDialog
      title="Create an API key"
      description={
        <>
          It will work in <EnvironmentName environment={environment} /> only.
        </>
      }
      shown={
        created && {
          key: created,
          title: "Copy your key now",
          description: (
            <>
              “{created.name}” works in <EnvironmentName environment={created.environment} /> from this moment.
            </>
          ),
        }
      }
      apiUrl={choices.apiUrl}
      isPending={isPending}
      onClosed={closed}
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
    </KeyDialog>
  );
}
