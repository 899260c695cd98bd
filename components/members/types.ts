import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Role } from "@/prisma/generated/enums";

/** A role that the one who looks may give. */
export type RoleChoice = { role: Role; name: string; description: string };

export type ChangeRole = (userId: string, role: Role) => Promise<ActionResult | ProofRequest>;
export type EndSessions = (userId: string) => Promise<ActionResult | ProofRequest>;
export type RemoveMember = (userId: string) => Promise<ActionResult | ProofRequest>;

/** What whoever invites passes on, and where the mail is shown that it would have been in. */
export type ShareableLink = { link: string; mailPage: string | null };
/** `shareableLink` where no mail is sent. */
export type SentInvitation = { shareableLink: ShareableLink | null };
export type Invite = (form: FormData) => Promise<ActionResult<SentInvitation> | ProofRequest>;
export type Resend = (invitationId: string) => Promise<ActionResult<SentInvitation> | ProofRequest>;
export type Revoke = (invitationId: string) => Promise<ActionResult | ProofRequest>;
