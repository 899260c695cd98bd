"use client";

import { SecretDialog } from "@/components/shell/secret-dialog";

/** Shows new recovery codes once. */
export function RecoveryCodesDialog({
  codes,
  onClosed,
}: {
  codes: string[];
  onClosed: () => void;
}) {
  return (
    <SecretDialog
      title="Save your recovery codes"
      description="If you lose your device, one of these signs you in instead. Each works once."
      name="recovery codes"
      secret={codes.join(" ")}
      note="Store them where you store passwords, and not only on the device that you could lose. They cannot be shown again."
      onClosed={onClosed}
    >
      {() => (
        <ul className="grid grid-cols-1 gap-x-6 gap-y-1 font-mono text-sm sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      )}
    </SecretDialog>
  );
}
