"use client";

import { UserPlus } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { buttonClass } from "@/components/ui/button";
import { DialogTrigger } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { InvitationLink } from "./invitation-link";
import { RoleSelect } from "./role-select";
import type { Invite, RoleChoice, SentInvitation, ShareableLink } from "./types";

type InviteDialogProps = { organization: string; choices: RoleChoice[]; invite: Invite };

export function InviteDialog({ organization, choices, invite }: InviteDialogProps) {
  const [link, setLink] = useState<ShareableLink | null>(null);

  function onDone({ shareableLink }: SentInvitation, form: FormData) {
    setLink(shareableLink);
    toast.success(
      shareableLink ? "Invitation created." : `Invitation sent to ${form.get("email")}.`,
    );
  }

  return (
    <>
      <FormDialog
        trigger={
          <DialogTrigger className={buttonClass()}>
            <UserPlus className="size-4" aria-hidden="true" />
            Invite member
          </DialogTrigger>
        }
        title={`Invite a member to ${organization}`}
        description={
          <>
            Members have access to <EnvironmentName environment="test" /> and{" "}
            <EnvironmentName environment="live" />.
          </>
        }
        submit="Send invitation"
        pending="Sending…"
        send={invite}
        onDone={onDone}
      >
        {(errors) => (
          <>
            <TextField
              label="Email"
              name="email"
              type="email"
              autoComplete="off"
              required
              error={errors.email}
            />
            <RoleSelect choices={choices} initial="MEMBER" error={errors.role} />
          </>
        )}
      </FormDialog>
      {link ? <InvitationLink {...link} onClosed={() => setLink(null)} /> : null}
    </>
  );
}
