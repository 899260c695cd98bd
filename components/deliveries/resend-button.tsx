"use client";

import { useTransition } from "react";
import { Button, type ButtonVariant } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";

type ResendButtonProps = {
  resend: () => Promise<ActionResult>;
  isDisabled: boolean;
  variant: ButtonVariant;
};

/** Makes one more attempt immediately. Its result appears in the timeline. */
export function ResendButton({ resend, isDisabled, variant }: ResendButtonProps) {
  const [isPending, startTransition] = useTransition();

  function send() {
    startTransition(async () => {
      const result = await resend();
      if (result.outcome === "refused") toast.error(result.message);
    });
  }

  // Not `disabled`, so that it does not lose the focus during the attempt.
  return (
    <Button
      variant={variant}
      onClick={isPending || isDisabled ? undefined : send}
      aria-disabled={isPending || isDisabled}
      className="aria-disabled:opacity-60"
    >
      {isPending || isDisabled ? "Sending…" : "Resend"}
    </Button>
  );
}
