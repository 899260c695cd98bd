"use client";

import { UserPlus } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { RoleSelect } from "./role-select";
import type { Invite, RoleChoice, SentInvitation, ShareableLink } from "./types";

const InvitationLink = dynamic(
  () => import("./invitation-link").then((module) => module.InvitationLink),
  { ssr: false },
);

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
          <>
            <UserPlus className="size-4" aria-hidden="true" />
            Invite member
          </>
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
