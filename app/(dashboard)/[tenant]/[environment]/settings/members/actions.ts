"use server";

import { z } from "zod";
import { type ActionPlace, actWithProof } from "@/app/(dashboard)/run-action";
import type { SentInvitation } from "@/components/members/types";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { invitationInput } from "@/lib/members/invitation-schema";
import { createInvitation, resendInvitation, revokeInvitation } from "@/lib/members/invitations";
import { changeRoleInput } from "@/lib/members/schema";
import { changeRole, endMemberSessions, removeMember } from "@/lib/members/service";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import { filledFields } from "@/lib/platform/form-fields";

const id = z.string().max(100);

export async function changeRoleAction(
  place: ActionPlace,
  userId: string,
  role: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, changeRoleInput, { userId, role }, async (caller, input) => {
    await changeRole(caller, input.userId, input.role);
    return null;
  });
}

export async function removeMemberAction(
  place: ActionPlace,
  userId: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, id, userId, async (caller, memberId) => {
    await removeMember(caller, memberId);
    return null;
  });
}

export async function endSessionsAction(
  place: ActionPlace,
  userId: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, id, userId, async (caller, memberId) => {
    await endMemberSessions(caller, memberId);
    return null;
  });
}

export async function inviteAction(
  place: ActionPlace,
  sent: FormData,
): Promise<ActionResult<SentInvitation> | ProofRequest> {
  return actWithProof(place, invitationInput, filledFields(sent), async (caller, input) => {
    return toSentInvitation(await createInvitation(caller, input));
  });
}

export async function resendInvitationAction(
  place: ActionPlace,
  invitationId: string,
): Promise<ActionResult<SentInvitation> | ProofRequest> {
  return actWithProof(place, id, invitationId, async (caller, wanted) => {
    return toSentInvitation(await resendInvitation(caller, wanted));
  });
}

function toSentInvitation({ link }: { link: string | null }): SentInvitation {
  return {
    shareableLink:
      link === null ? null : { link, mailPage: mailTransport() === "page" ? mailPagePath : null },
  };
}

export async function revokeInvitationAction(
  place: ActionPlace,
  invitationId: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, id, invitationId, async (caller, wanted) => {
    await revokeInvitation(caller, wanted);
    return null;
  });
}
