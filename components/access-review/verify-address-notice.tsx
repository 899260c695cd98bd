"use client";

import { useTransition } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";

export function VerifyAddressNotice({
  email,
  resend,
}: {
  email: string;
  resend: () => Promise<ActionResult>;
}) {
  const [isPending, startTransition] = useTransition();

  function send() {
    startTransition(async () => {
      const result = await resend();
      if (result.outcome === "refused") toast.error(result.message);
      else toast.success(`Link sent to ${email}.`);
    });
  }

  return (
    <Notice variant="warn" role="note">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 max-w-prose">
          <p className="font-semibold">Confirm your email address</p>
          <p className="wrap-anywhere">
            Open the link we emailed to {email}. Until then, you cannot create live keys or live
            webhooks, or invite members.
          </p>
        </div>
        <Button variant="secondary" onClick={send} disabled={isPending}>
          {isPending ? "Sending…" : "Send new link"}
        </Button>
      </div>
    </Notice>
  );
}
