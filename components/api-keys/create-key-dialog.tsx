"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof";
import { buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import type { ActionResult } from "@/lib/action-result";
import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import type { Environment } from "@/prisma/generated/enums";
import { CreatedKey } from "./created-key";
import { KeyForm } from "./key-form";
import type { ScopePreset } from "./scope-picker";
import type { CreatedKey as Created, CreateKey } from "./states";

type Props = {
  tenantSlug: string;
  environment: Environment;
  apiUrl: string;
  presets: ScopePreset[];
  resources: ScopeResource[];
  createKey: CreateKey;
};

export function CreateKeyDialog({ tenantSlug, environment: pageEnvironment, apiUrl, presets, resources, createKey }: Props) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [environment, setEnvironment] = useState(pageEnvironment);
  const [result, setResult] = useState<ActionResult<Created> | null>(null);
  const [isPending, startTransition] = useTransition();
  const [isSaved, setIsSaved] = useState(false);
  const [isWarned, setIsWarned] = useState(false);
  const { prove, question } = useProof();
  const created = result?.outcome === "done" ? result.value : null;

  // Not the form's `action`: React empties a form after its action, and what was refused should stand as it was.
  const submit = (form: FormData) => startTransition(async () => setResult(await prove(() => createKey(form))));

  /** Also forgets the key: it is gone from the page with the dialog. */
  function reset() {
    setEnvironment(pageEnvironment);
    setResult(null);
    setIsSaved(false);
    setIsWarned(false);
  }

  function close() {
    setIsOpen(false);
    // The key lies in the other environment's list: go and see it there.
    if (created && created.environment !== pageEnvironment) router.push(`/${tenantSlug}/${created.environment}/api-keys`);
  }

  function requestClose() {
    if (isPending) return;
    if (created && !isSaved) setIsWarned(true);
    else close();
  }

  return (
    <Dialog
      open={isOpen}
      disablePointerDismissal
      onOpenChange={(open) => (open ? setIsOpen(true) : requestClose())}
      onOpenChangeComplete={(open) => {
        if (!open) reset();
      }}
    >
      <DialogTrigger className={buttonClass()}>
        <Plus className="size-4" aria-hidden="true" />
        Create API key
      </DialogTrigger>
      <DialogContent
        title={created ? "Copy your key now" : "Create an API key"}
        description={
          created ? (
            <>
              “{created.name}” works in <EnvironmentName environment={created.environment} /> from this moment.
            </>
          ) : (
            <>
              It will work in <EnvironmentName environment={environment} /> only.
            </>
          )
        }
      >
        {created ? (
          <CreatedKey
            created={created}
            apiUrl={apiUrl}
            isSaved={isSaved}
            isWarned={isWarned}
            onSaved={setIsSaved}
            onDone={requestClose}
            onDiscard={close}
          />
        ) : (
          <KeyForm
            environment={environment}
            presets={presets}
            resources={resources}
            result={result}
            isPending={isPending}
            submit={submit}
            onEnvironmentChange={setEnvironment}
          />
        )}
        {question}
      </DialogContent>
    </Dialog>
  );
}
