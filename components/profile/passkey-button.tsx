"use client";

import { KeyRound } from "lucide-react";
import { unstable_rethrow } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/platform/action-result";
import { refusalOf, type SignInOptions, signWithPasskey } from "./passkey-prompt";

type PasskeyButtonProps = {
  label: string;
  ask: () => Promise<SignInOptions>;
  /** Sends what the passkey signed. A success may leave the page. */
  send: (response: unknown) => Promise<ActionResult | undefined>;
  onDone?: () => void;
};

/** Next reports the redirect of a server action as an error, and then follows it. */
function isRedirect(error: unknown): boolean {
  try {
    unstable_rethrow(error);
    return false;
  } catch {
    return true;
  }
}

/** Asks the browser for a passkey, and shows why it was refused. */
export function PasskeyButton({ label, ask, send, onDone }: PasskeyButtonProps) {
  const [message, setMessage] = useState<string>();
  // Not a transition, because React would not end it before an action that waits for this result.
  const [isPending, setIsPending] = useState(false);

  async function run() {
    setIsPending(true);
    setMessage(undefined);
    try {
      const result = await send(await signWithPasskey(await ask()));
      if (result?.outcome === "refused") setMessage(result.message);
      else onDone?.();
    } catch (error) {
      // The next page is loading.
      if (isRedirect(error)) return;
      setMessage(refusalOf(error) ?? "The response was lost. Try again.");
    }
    setIsPending(false);
  }

  return (
    <div className="space-y-3">
      {message ? <Notice>{message}</Notice> : null}
      <Button variant="secondary" className="w-full" onClick={run} disabled={isPending}>
        <KeyRound className="size-4" aria-hidden="true" />
        {isPending ? "Waiting for your passkey…" : label}
      </Button>
    </div>
  );
}
