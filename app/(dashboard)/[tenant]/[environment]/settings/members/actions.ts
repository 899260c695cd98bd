"use server";

import { z } from "zod";
import { actWithProof, filledIn, type PlaceOfAction } from "@/app/(dashboard)/act";
import type { SentInvitation } from "@/components/members/states";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { invitationInput } from "@/lib/members/invitation-schema";
import { createInvitation, resendInvitation, revokeInvitation } from "@/lib/members/invitations";
import { changeRoleInput } from "@/lib/members/schema";
import { changeRole, endMemberSessions, removeMember } from "@/lib/members/service";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

const id = z.string().max(100);

export async function changeRoleAction(
  place: PlaceOfAction,
  userId: string,
  role: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, changeRoleInput, { userId, role }, async (caller, input) => {
    await changeRole(caller, input.userId, input.role);
    return null;
  });
}

export async function removeMemberAction(
  place: PlaceOfAction,
  userId: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, id, userId, async (caller, memberId) => {
    await removeMember(caller, memberId);
    return null;
  });
}

export async function endSessionsAction(
  place: PlaceOfAction,
  userId: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, id, userId, async (caller, memberId) => {
    await endMemberSessions(caller, memberId);
    return null;
  });
}

export async function inviteAction(
  place: PlaceOfAction,
  sent: FormData,
): Promise<ActionResult<SentInvitation> | ProofRequest> {
  return actWithProof(place, invitationInput, filledIn(sent), async (caller, input) => {
    return toPassOn(await createInvitation(caller, input));
  });
}

export async function resendInvitationAction(
  place: PlaceOfAction,
  invitationId: string,
): Promise<ActionResult<SentInvitation> | ProofRequest> {
  return actWithProof(place, id, invitationId, async (caller, wanted) => {
    return toPassOn(await resendInvitation(caller, wanted));
  });
}

function toPassOn({ link }: { link: string | null }): SentInvitation {
  return {
    passOn:
      link === null ? null : { link, mailPage: mailTransport() === "page" ? mailPagePath : null },
  };
}

export async function revokeInvitationAction(
  place: PlaceOfAction,
  invitationId: string,
): Promise<ActionResult | ProofRequest> {
  return actWithProof(place, id, invitationId, async (caller, wanted) => {
    await revokeInvitation(caller, wanted);
    return null;
  });
}
