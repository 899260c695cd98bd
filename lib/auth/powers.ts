import type { Identity } from "@/lib/caller";
import { requireRecentProof } from "./proof";

type Power = {
  /** A verb and its object, as the question for the password says it. */
  what: string;
  /** Test data is isolated and never billed, so the same change in the test environment needs no proof. */
  onlyLive?: true;
};

/**
 * Everything that grants, extends or removes power, by the name of the service function that does it. A stolen session
 * must not be enough for any of these: each function calls `requireProofFor` with its own name right after `requireRole`.
 * The role matrix (tests/database/role-matrix.test.ts) fails if a function that needs ADMIN is neither listed here nor
 * listed there with the reason why it needs no proof.
 */
export const powers = {
  createApiKey: { what: "create a live key", onlyLive: true },
  updateApiKey: { what: "change a live key", onlyLive: true },
  rollApiKey: { what: "roll a live key", onlyLive: true },
  revokeApiKey: { what: "revoke a live key", onlyLive: true },
  createWebhook: { what: "create a live webhook", onlyLive: true },
  updateWebhook: { what: "change what a live webhook receives", onlyLive: true },
  rotateSecret: { what: "rotate a live signing secret", onlyLive: true },
  dropOldSecret: { what: "drop a live signing secret", onlyLive: true },
  deleteWebhook: { what: "delete a live webhook", onlyLive: true },
  createInvitation: { what: "invite a member" },
  resendInvitation: { what: "resend an invitation" },
  revokeInvitation: { what: "revoke an invitation" },
  changeRole: { what: "change a role" },
  removeMember: { what: "remove a member" },
  leaveOrganization: { what: "leave the organization" },
} as const satisfies Record<string, Power>;

export type PowerName = keyof typeof powers;

/** @throws ProofNeeded for a user whose last proof is too old. */
export function requireProofFor(identity: Identity, name: PowerName): void {
  const power: Power = powers[name];
  if (power.onlyLive && identity.partition.environment !== "live") return;
  requireRecentProof(identity, power.what);
}
