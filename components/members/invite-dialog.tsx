"use client";

import { UserPlus } from "lucide-react";
import { type FormEvent, useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { useProof } from "@/components/shell/proof-dialog";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/platform/action-result";
import { InvitationLink } from "./invitation-link";
import { RoleSelect } from "./role-select";
import type { Invite, RoleChoice, ShareableLink } from "./types";

export function InviteDialog({
  organization,
  choices,
  invite,
}: {
  organization: string;
  choices: RoleChoice[];
  invite: Invite;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const [refused, setRefused] = useState<Extract<ActionResult, { outcome: "refused" }> | null>(
    null,
  );
  const [link, setLink] = useState<ShareableLink | null>(null);
  const [isPending, startTransition] = useTransition();
  const { prove, question } = useProof();

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const result = await prove(() => invite(form));
      if (result.outcome === "refused") return setRefused(result);
      setIsOpen(false);
      setLink(result.value.shareableLink);
      toast.success(
        result.value.shareableLink
          ? "Invitation created."
          : `Invitation sent to ${form.get("email")}.`,
      );
    });
  }

  return (
    <>
      <Dialog
        open={isOpen}
        onOpenChange={(open) => {
          if (!isPending) setIsOpen(open);
        }}
        onOpenChangeComplete={(open) => {
          if (!open) setRefused(null);
        }}
      >
        <DialogTrigger className={buttonClass()}>
          <UserPlus className="size-4" aria-hidden="true" />
          Invite member{" "}
        </DialogTrigger>
        <DialogContent
          title={`Invite a member to ${organization}`}
          description={
            <>
              Members have access to <EnvironmentName environment="test" /> and{" "}
              <EnvironmentName environment="live" />.
            </>
          }
        >
          <form onSubmit={submit} className="space-y-4">
            {refused && Object.keys(refused.errors).length === 0 ? (
              <Notice>{refused.message}</Notice>
            ) : null}
            <TextField
              label="Email"
              name="email"
              type="email"
              autoComplete="off"
              required
              error={refused?.errors.email}
            />
            <RoleSelect choices={choices} initial="MEMBER" error={refused?.errors.role} />
            <div className="flex justify-end">
              <Button type="submit" disabled={isPending}>
                {isPending ? "Sending…" : "Send invitation"}
              </Button>
            </div>
          </form>
          {question}
        </DialogContent>
      </Dialog>
      {link ? <InvitationLink {...link} onClosed={() => setLink(null)} /> : null}
    </>
  );
}
