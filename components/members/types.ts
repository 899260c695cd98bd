import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Role } from "@/prisma/generated/enums";

/** A role that the current user can assign. */
export type RoleChoice = { role: Role; name: string; description: string };

export type ChangeRole = (userId: string, role: Role) => Promise<ActionResult | ProofRequest>;
export type EndSessions = (userId: string) => Promise<ActionResult | ProofRequest>;
export type RemoveMember = (userId: string) => Promise<ActionResult | ProofRequest>;

/** The link that the inviter shares, and the page that shows its email, if there is one. */
export type ShareableLink = { link: string; mailPage: string | null };
/** `shareableLink` is null if the invitation was emailed. */
export type SentInvitation = { shareableLink: ShareableLink | null };
export type Invite = (form: FormData) => Promise<ActionResult<SentInvitation> | ProofRequest>;
export type Resend = (invitationId: string) => Promise<ActionResult<SentInvitation> | ProofRequest>;
export type Revoke = (invitationId: string) => Promise<ActionResult | ProofRequest>;
