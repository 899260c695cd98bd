import type { ActionResult, ProofRequest } from "@/lib/action-result";
import type { Role } from "@/prisma/generated/enums";

/** A role that the one who looks may give. */
export type RoleChoice = { role: Role; name: string; description: string };

export type ChangeRole = (userId: string, role: Role) => Promise<ActionResult | ProofRequest>;
export type RemoveMember = (userId: string) => Promise<ActionResult>;

/** `link` where no mail is sent: then whoever invites passes it on. */
export type SentInvitation = { link: string | null };
export type Invite = (form: FormData) => Promise<ActionResult<SentInvitation>>;
export type Resend = (invitationId: string) => Promise<ActionResult<SentInvitation>>;
export type Revoke = (invitationId: string) => Promise<ActionResult>;
