"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useActionState, useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import type { Environment } from "@/prisma/generated/enums";
import { CreatedKey } from "./created-key";
import { KeyForm } from "./key-form";
import type { ScopePreset } from "./scope-picker";
import type { CreateKey } from "./states";

type Props = {
  tenantSlug: string;
  environment: Environment;
  apiUrl: string;
  presets: ScopePreset[];
  resources: ScopeResource[];
  createKey: CreateKey;
};

export function CreateKeyDialog(props: Props) {
  // A new number makes a new dialog: the key that was shown is gone from the page with the old one.
  const [number, setNumber] = useState(0);
  return <OneKeyDialog key={number} {...props} onClosed={() => setNumber(number + 1)} />;
}

function OneKeyDialog({
  tenantSlug,
  environment: pageEnvironment,
  apiUrl,
  presets,
  resources,
  createKey,
  onClosed,
}: Props & { onClosed: () => void }) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [environment, setEnvironment] = useState(pageEnvironment);
  const [state, submit, isPending] = useActionState(createKey, { outcome: "idle" });
  const [isSaved, setIsSaved] = useState(false);
  const [isWarned, setIsWarned] = useState(false);
  const created = state.outcome === "created" ? state : null;

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
        if (!open) onClosed();
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
            state={state}
            isPending={isPending}
            submit={submit}
            onEnvironmentChange={setEnvironment}
          />
        )}
      </DialogContent>
    </Dialog>
  );
}
