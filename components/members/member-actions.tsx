"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import type { Role } from "@/prisma/generated/enums";
import { RoleSelect } from "./role-select";
import type { ChangeRole, EndSessions, RemoveMember, RoleChoice } from "./types";

type MemberActionsProps = {
  member: { id: string; name: string; role: Role };
  isSelf: boolean;
  organization: string;
  choices: RoleChoice[];
  changeRole: ChangeRole;
  endSessions: EndSessions;
  removeMember: RemoveMember;
};

export function MemberActions({
  member,
  isSelf,
  organization,
  choices,
  changeRole,
  endSessions,
  removeMember,
}: MemberActionsProps) {
  const [role, setRole] = useState(member.role);
  const whose = isSelf ? "your own role" : `the role of ${member.name}`;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 lg:flex-nowrap">
      <ConfirmDialog
        trigger="Change role…"
        label={isSelf ? "Change role: yourself" : `Change role of ${member.name}`}
        variant="secondary"
        size="small"
        title={`Change ${whose}`}
        environment={null}
        confirm="Change role"
        confirmVariant="primary"
        pending="Changing…"
        isIncomplete={role === member.role}
        act={() => changeRole(member.id, role)}
        done={`${isSelf ? "Your role" : `The role of ${member.name}`} was changed to ${choices.find((choice) => choice.role === role)?.name ?? role}.`}
      >
        <RoleSelect key={member.role} choices={choices} initial={member.role} onChange={setRole} />
        <p className="text-muted">Takes effect immediately, on every device.</p>
      </ConfirmDialog>
      {isSelf ? null : (
        <ConfirmDialog
          trigger="Sign out…"
          label={`Sign out ${member.name}`}
          variant="secondary"
          size="small"
          title={`Sign out ${member.name} everywhere?`}
          environment={null}
          confirm="End sessions"
          pending="Ending sessions…"
          act={() => endSessions(member.id)}
          done={`${member.name} was signed out on every device.`}
        >
          <p>
            Ends all of their sessions immediately, including those in other organizations. They
            keep their role and can sign in again.
          </p>
        </ConfirmDialog>
      )}
      {isSelf ? null : (
        <ConfirmDialog
          trigger="Remove…"
          label={`Remove ${member.name}`}
          size="small"
          title={`Remove ${member.name}?`}
          environment={null}
          confirm="Remove member"
          pending="Removing…"
          act={() => removeMember(member.id)}
          done={`${member.name} was removed from ${organization}.`}
        >
          <ul className="list-disc space-y-1 pl-5">
            <li>
              They immediately lose all access to {organization} and are signed out on every device.
            </li>
            <li>
              Their messages stay, and API keys that they created keep working. Revoke the keys that
              only they knew.
            </li>
          </ul>
        </ConfirmDialog>
      )}
    </span>
  );
}
