"use client";

import dynamic from "next/dynamic";
import { useState, useTransition } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { useProof } from "@/components/shell/proof-dialog";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { Resend, Revoke, ShareableLink } from "./types";

const InvitationLink = dynamic(
  () => import("./invitation-link").then((module) => module.InvitationLink),
  { ssr: false },
);

type InvitationActionsProps = {
  invitation: { id: string; email: string };
  resend: Resend;
  revoke: Revoke;
};

export function InvitationActions({
  invitation: { id, email },
  resend,
  revoke,
}: InvitationActionsProps) {
  const [link, setLink] = useState<ShareableLink | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();

  function sendAgain() {
    startTransition(async () => {
      const result = await prove(() => resend(id));
      if (result.outcome === "refused") toast.error(result.message);
      else if (result.value.shareableLink) setLink(result.value.shareableLink);
      else toast.success(`Invitation to ${email} sent again.`);
    });
  }

  return (
    <span className="inline-flex flex-wrap justify-end gap-2 lg:flex-nowrap">
      <Button
        variant="secondary"
        size="small"
        onClick={sendAgain}
        disabled={isPending}
        aria-label={`Resend the invitation to ${email}`}
      >
        {isPending ? "Sending…" : "Resend"}
      </Button>
      <ConfirmDialog
        trigger="Revoke…"
        label={`Revoke the invitation to ${email}`}
        size="small"
        title={`Revoke the invitation to ${email}?`}
        environment={null}
        confirm="Revoke invitation"
        pending="Revoking…"
        act={() => revoke(id)}
        done={`Invitation to ${email} revoked.`}
      >
        <p>The link in it stops working immediately. You can invite them again.</p>
      </ConfirmDialog>
      {link ? <InvitationLink {...link} onClosed={() => setLink(null)} /> : null}
      {question}
    </span>
  );
}
