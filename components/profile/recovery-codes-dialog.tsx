"use client";

import { useEffect, useRef } from "react";
import { SecretDialog } from "@/components/shell/secret-dialog";

/**
 * Shows new recovery codes once. Then the heading of its part of the panel gets the focus: the button
 * that opened it may be gone, and the new state is shown below the heading.
 */
export function RecoveryCodesDialog({
  codes,
  onClosed,
}: {
  codes: string[];
  onClosed: () => void;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const heading = useRef<HTMLElement>(null);
  useEffect(() => {
    heading.current = place.current?.closest("section")?.querySelector("h3") ?? null;
  }, []);
  return (
    <>
      <span ref={place} hidden />
      <SecretDialog
        title="Save your recovery codes"
        description="If you lose your device, one of these signs you in instead. Each works once."
        name="recovery codes"
        secret={codes.join(" ")}
        note="Store them where you store passwords, and not only on the device that you could lose. They cannot be shown again."
        finalFocus={heading}
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
    </>
  );
}
