"use client";

import { useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof-dialog";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import type { ActionResult } from "@/lib/platform/action-result";
import { KeyForm } from "./key-form";
import type { KeyActions, KeyChoices, KeySummary } from "./types";

type Props = {
  apiKey: KeySummary;
  choices: KeyChoices;
  updateKey: KeyActions["update"];
  onClosed: () => void;
};

export function EditKeyDialog({ apiKey, choices, updateKey, onClosed }: Props) {
  const [isOpen, setIsOpen] = useState(true);
  const [result, setResult] = useState<ActionResult | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();

  const submit = (form: FormData) =>
    startTransition(async () => {
      const result = await prove(() => updateKey(apiKey.id, form));
      setResult(result);
      if (result.outcome === "refused") return;
      setIsOpen(false);
      toast.success(`API key “${String(form.get("name"))}” updated.`);
    });

  return (
    <Dialog
      open={isOpen}
      onOpenChange={setIsOpen}
      onOpenChangeComplete={(open) => !open && onClosed()}
    >
      <DialogContent
        title={`Edit “${apiKey.name}”`}
        description={
          <>
            The key <code className="font-mono text-xs">{apiKey.hint}</code> in{" "}
            <EnvironmentName environment={choices.environment} /> stays the same. Changes apply
            within a second.
          </>
        }
      >
        <KeyForm
          choices={choices}
          changed={apiKey}
          result={result}
          isPending={isPending}
          submit={submit}
          labels={{ submit: "Save changes", pending: "Saving…" }}
        />
        {question}
      </DialogContent>
    </Dialog>
  );
}
