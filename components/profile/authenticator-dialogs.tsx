"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { FormDialog } from "@/components/shell/form-dialog";
import { useProof } from "@/components/shell/proof-dialog";
import { Button } from "@/components/ui/button";
import { CopyBlock } from "@/components/ui/copy";
import { toast } from "@/components/ui/toast";
import type { AuthenticatorSetUp } from "@/lib/second-factor/authenticator-app";
import { CodeField } from "./code-field";
import { loadRecoveryCodes, RecoveryCodes } from "./recovery-codes";
import type { SecondFactorActions } from "./second-factor-actions";

type AuthenticatorButtonProps = {
  begin: SecondFactorActions["beginAuthenticator"];
  confirm: SecondFactorActions["confirmAuthenticator"];
};

export function AuthenticatorButton({ begin, confirm }: AuthenticatorButtonProps) {
  const [setUp, setSetUp] = useState<AuthenticatorSetUp | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();
  const router = useRouter();

  const start = () =>
    startTransition(async () => {
      void loadRecoveryCodes();
      const result = await prove(begin);
      if (result.outcome === "done") setSetUp(result.value);
      else toast.error(result.message);
    });

  function finish(added: string[] | null) {
    toast.success("Authenticator app added.");
    if (added) setCodes(added);
    else router.refresh();
  }

  return (
    <>
      <Button variant="secondary" size="small" onClick={start} disabled={isPending}>
        Add authenticator app…
      </Button>
      {question}
      {setUp ? (
        <FormDialog
          title="Add an authenticator app"
          description="Scan the QR code with the app, then enter the code that it shows."
          submit="Add"
          pending="Adding…"
          disablePointerDismissal
          send={async (form) => {
            await loadRecoveryCodes();
            return confirm(String(form.get("code") ?? ""));
          }}
          onDone={finish}
          onClosed={() => setSetUp(null)}
        >
          {() => (
            <>
              <QrCode rows={setUp.qrCode} />
              <div className="space-y-1.5">
                <p className="text-muted">If you can’t scan it, enter this key in the app:</p>
                <CopyBlock text={setUp.secret} label="Copy the key" />
              </div>
              <CodeField takesRecoveryCodes={false} autoFocus />
            </>
          )}
        </FormDialog>
      ) : null}
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

/** Always dark on white: some apps cannot read inverted codes. */
function QrCode({ rows }: { rows: string[] }) {
  const squares = rows.flatMap((row, y) =>
    [...row].flatMap((cell, x) => (cell === "1" ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label="QR code with the key below"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48 rounded-lg bg-[#ffffff]"
    >
      <path d={squares.join("")} fill="#000000" />
    </svg>
  );
}

export function RemoveAuthenticator({
  remove,
}: {
  remove: SecondFactorActions["removeAuthenticator"];
}) {
  const router = useRouter();
  return (
    <ConfirmDialog
      trigger="Remove…"
      label="Remove the authenticator app"
      size="small"
      title="Remove the authenticator app?"
      environment="account"
      confirm="Remove app"
      pending="Removing…"
      act={remove}
      done="Authenticator app removed."
      onDone={() => router.refresh()}
    >
      <p>
        Its codes no longer sign you in. If you have no passkey either, your account has no second
        factor afterward, and your recovery codes are deleted.
      </p>
    </ConfirmDialog>
  );
}
