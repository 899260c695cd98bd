"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { makePasskey, refusalOf } from "./passkey-prompt";
import { loadRecoveryCodes, RecoveryCodes } from "./recovery-codes";
import type { SecondFactorActions } from "./second-factor-actions";

type AddPasskeyProps = {
  device: string;
  ask: SecondFactorActions["askToAddPasskey"];
  add: SecondFactorActions["addPasskey"];
};

export function AddPasskey({ device, ask, add }: AddPasskeyProps) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const router = useRouter();

  async function send(form: FormData): Promise<ActionResult<string[] | null> | ProofRequest> {
    await loadRecoveryCodes();
    const asked = await ask();
    if (asked.outcome !== "done") return asked;
    try {
      const response = await makePasskey(asked.value);
      return await add({ name: String(form.get("name") ?? ""), response });
    } catch (error) {
      const message = refusalOf(error);
      if (!message) throw error;
      return { outcome: "refused", message, errors: {} };
    }
  }

  function finish(added: string[] | null) {
    toast.success("Passkey added.");
    if (added) setCodes(added);
    else router.refresh();
  }

  return (
    <>
      <FormDialog
        trigger="Add passkey…"
        variant="secondary"
        size="small"
        title="Add a passkey"
        description="Your browser asks where to store it: on this device, on your phone, in a password manager or on a security key."
        submit="Continue"
        pending="Waiting for your device…"
        send={send}
        onDone={finish}
        onOpen={() => void loadRecoveryCodes()}
      >
        {(errors) => (
          <TextField
            label="Name"
            name="name"
            defaultValue={device}
            required
            maxLength={100}
            hint="So that you recognize it in the list."
            error={errors.name}
          />
        )}
      </FormDialog>
      {codes ? (
        <RecoveryCodes
          codes={codes}
          onClosed={() => {
            setCodes(null);
            router.refresh();
          }}
        />
      ) : null}
    </>
  );
}

export function RemovePasskey({
  name,
  remove,
}: {
  name: string;
  remove: () => Promise<ActionResult | ProofRequest>;
}) {
  const router = useRouter();
  return (
    <ConfirmDialog
      trigger="Remove…"
      label={`Remove ${name}`}
      size="small"
      title={`Remove ${name}?`}
      environment="account"
      confirm="Remove passkey"
      pending="Removing…"
      act={remove}
      done="Passkey removed."
      onDone={() => router.refresh()}
    >
      <p>
        It no longer signs you in. Delete it on your device too, so that your browser does not offer
        it again.
      </p>
    </ConfirmDialog>
  );
}
