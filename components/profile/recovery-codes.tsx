"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { FormDialog } from "@/components/shell/form-dialog";
import type { SecondFactorActions } from "./second-factor-actions";

/** For forms that create codes: loaded when they open, and awaited first, as codes are shown once. */
export const loadRecoveryCodes = () =>
  import("./recovery-codes-dialog").then((module) => module.RecoveryCodesDialog);
/** Shows new recovery codes once. */
export const RecoveryCodes = dynamic(loadRecoveryCodes, { ssr: false });

export function ReplaceRecoveryCodes({
  replace,
}: {
  replace: SecondFactorActions["replaceRecoveryCodes"];
}) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const router = useRouter();
  return (
    <>
      <FormDialog
        trigger="New codes…"
        variant="secondary"
        size="small"
        title="Create new recovery codes?"
        description="The earlier codes stop working immediately."
        submit="Create new codes"
        pending="Creating…"
        send={async () => {
          await loadRecoveryCodes();
          return replace();
        }}
        onDone={setCodes}
        onOpen={() => void loadRecoveryCodes()}
      >
        {() => null}
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
