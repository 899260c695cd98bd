import { recordAudit } from "@/lib/audit/service";
import { mailTransport } from "@/lib/mail/mail-transport";
import type { Actor, Caller } from "@/lib/platform/caller";
import type { AfterRollback } from "@/lib/platform/errors";
import { lockTenantAsMember } from "@/lib/tenants/service";
import { ProofNeeded, requireRecentProof } from "./proof";

type ProtectedAction = {
  /** A verb and its object, as shown in the password prompt. */
  what: string;
  /**
   * Test data is isolated and never billed, so the same change in the test environment needs
   * neither proof nor address.
   */
  onlyLive?: true;
  /** Whether it only removes access. A user with an unverified address may do it too. */
  onlyRemoves?: true;
};

/**
 * Everything that grants, extends or removes access, keyed by the service function that does it. A
 * stolen session must not be enough for any of these, so each function calls `requireStepUp` with
 * its own name right after `requireRole`. The role matrix (tests/services/role-matrix.test.ts)
 * fails if a function that needs ADMIN is not listed here, unless it is listed there with the
 * reason why it needs no proof.
 */
export const protectedActions = {
  createApiKey: { what: "create a live key", onlyLive: true },
  updateApiKey: { what: "change a live key", onlyLive: true },
  rollApiKey: { what: "rotate a live key", onlyLive: true },
  revokeApiKey: { what: "revoke a live key", onlyLive: true, onlyRemoves: true },
  createWebhook: { what: "create a live webhook", onlyLive: true },
  updateWebhook: { what: "change what a live webhook receives", onlyLive: true },
  rotateSecret: { what: "rotate a live signing secret", onlyLive: true },
  dropOldSecret: { what: "drop a live signing secret", onlyLive: true, onlyRemoves: true },
  deleteWebhook: { what: "delete a live webhook", onlyLive: true, onlyRemoves: true },
  updateRetention: { what: "change how long live data is stored", onlyLive: true },
  eraseCustomer: { what: "erase a live customer", onlyLive: true, onlyRemoves: true },
  createInvitation: { what: "invite a member" },
  resendInvitation: { what: "resend an invitation" },
  revokeInvitation: { what: "revoke an invitation", onlyRemoves: true },
  changeRole: { what: "change a role" },
  removeMember: { what: "remove a member", onlyRemoves: true },
  endMemberSessions: { what: "end a member's sessions", onlyRemoves: true },
  deleteOrganization: { what: "delete the organization", onlyRemoves: true },
  leaveOrganization: { what: "leave the organization", onlyRemoves: true },
  changeAlertTarget: { what: "change where alerts go" },
  changeSecondFactorRequirement: { what: "change whether a second factor is required" },
  confirmAccess: { what: "confirm suspended access" },
} as const satisfies Record<string, ProtectedAction>;

export type ProtectedActionName = keyof typeof protectedActions;

/**
 * A user with an unverified address tried an action that requires a verified one. `detail` is shown
 * to them.
 */
export class AddressUnverified extends Error {
  override readonly name = "AddressUnverified";
  afterRollback?: AfterRollback;
  readonly detail: string;

  constructor(what: string) {
    const detail = `Confirm your email address to ${what}. Open the link we emailed you, or request a new one at the top of this page.`;
    super(detail);
    this.detail = detail;
  }
}

/**
 * Takes the organization's lock. Verifying an address, changing a role, suspending and removing a
 * member and ending their sessions take it too, so a request that was allowed before one of these
 * cannot create anything after it. Keys, jobs and operators pass.
 * @throws AddressUnverified while mail is configured and the user has not confirmed their address
 * @throws ProofNeeded if the user's last proof is too old, or older than the verification of their
 * address
 * @throws AppError as `lockTenantAsMember` does
 */
export async function requireStepUp(caller: Caller, name: ProtectedActionName): Promise<void> {
  const { actor } = caller;
  if (actor.type !== "USER") return;
  const action: ProtectedAction = protectedActions[name];
  try {
    await checkUser(caller, actor, action);
  } catch (error) {
    // Recorded, because a stolen session or an unverified user may have tried it.
    if (error instanceof ProofNeeded || error instanceof AddressUnverified) {
      const missing = error instanceof ProofNeeded ? "proof" : "verified email address";
      const changes = { after: { attempt: action.what, missing } };
      error.afterRollback = (next) =>
        recordAudit(next, { action: "user.confirmation_required", targetId: actor.id, changes });
    }
    throw error;
  }
}

async function checkUser(
  caller: Caller,
  actor: Extract<Actor, { type: "USER" }>,
  action: ProtectedAction,
): Promise<void> {
  const { partition, db } = caller;
  await lockTenantAsMember(caller);
  const { emailVerifiedAt } = await db.user.findUniqueOrThrow({
    where: { id: actor.id },
    select: { emailVerifiedAt: true },
  });
  if (emailVerifiedAt && (!actor.provedAt || actor.provedAt < emailVerifiedAt))
    throw new ProofNeeded(action.what);
  if (action.onlyLive && partition.environment !== "live") return;
  if (!emailVerifiedAt && !action.onlyRemoves && mailTransport() === "smtp")
    throw new AddressUnverified(action.what);
  requireRecentProof(caller, action.what);
}
