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

  return (
    <Button variant={variant} onClick={send} disabled={isPending || isDisabled}>
      {isPending || isDisabled ? "Sending…" : "Resend"}
    </Button>
  );
}
