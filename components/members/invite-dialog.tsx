"use client";

import { UserPlus } from "lucide-react";
import { type FormEvent, useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/action-result";
import { InvitationLink } from "./invitation-link";
import { RoleSelect } from "./role-select";
import type { Invite, RoleChoice, SentInvitation } from "./states";

export function InviteDialog({ organisation, choices, invite }: { organisation: string; choices: RoleChoice[]; invite: Invite }) {
  const [isOpen, setIsOpen] = useState(false);
  const [result, setResult] = useState<ActionResult<SentInvitation> | null>(null);
  const [isPending, startTransition] = useTransition();
  const refused = result?.outcome === "refused" ? result : null;
  const link = result?.outcome === "done" ? result.value.link : null;

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const sent = await invite(form);
      setResult(sent);
      if (sent.outcome !== "done") return;
      if (!sent.value.link) setIsOpen(false);
      toast.success(sent.value.link ? "The invitation is made." : `The invitation to ${form.get("email")} is on its way.`);
    });
  }

  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        // With the link there it is done; what is still pending then is the list behind it being drawn anew.
        if (!isPending || link) setIsOpen(open);
      }}
      onOpenChangeComplete={(open) => {
        if (!open) setResult(null);
      }}
    >
      <DialogTrigger className={buttonClass()}>
        <UserPlus className="size-4" aria-hidden="true" />
        Invite somebody
      </DialogTrigger>
      <DialogContent
        title={link ? "Pass this link on" : `Invite somebody to ${organisation}`}
        description={
          <>
            Members work in <EnvironmentName environment="test" /> and in <EnvironmentName environment="live" />.
          </>
        }
      >
        {link ? (
          <div className="space-y-4">
            <InvitationLink link={link} />
            <div className="flex justify-end">
              <DialogClose className={buttonClass()}>Done</DialogClose>
            </div>
          </div>
        ) : (
          <form onSubmit={submit} className="space-y-4">
            {refused && Object.keys(refused.errors).length === 0 ? <Notice>{refused.message}</Notice> : null}
            <TextField label="Email" name="email" type="email" autoComplete="off" required error={refused?.errors.email} />
            <RoleSelect choices={choices} initial="MEMBER" error={refused?.errors.role} />
            <div className="flex justify-end">
              <Button type="submit" disabled={isPending}>
                {isPending ? "Inviting…" : "Send invitation"}
              </Button>
            </div>
          </form>
        )}
      </DialogContent>
    </Dialog>
  );
}
