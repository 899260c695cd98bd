"use client";

import { useTransition } from "react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/action-result";

/** One more attempt, now. What comes of it appears among the attempts. */
export function ResendButton({ resend, isDisabled }: { resend: () => Promise<ActionResult>; isDisabled: boolean }) {
  const [isPending, startTransition] = useTransition();

  function send() {
    startTransition(async () => {
      const result = await resend();
      if (result.outcome === "refused") toast.error(result.message);
    });
  }

  // Not `disabled`: it keeps the focus while the attempt is made.
  return (
    <Button
      onClick={isPending || isDisabled ? undefined : send}
      aria-disabled={isPending || isDisabled}
      className="aria-disabled:opacity-60"
    >
      {isPending || isDisabled ? "Sending…" : "Send again"}
    </Button>
  );
}
