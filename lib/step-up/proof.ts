import type { Identity } from "@/lib/platform/caller";
import type { AfterRollback } from "@/lib/platform/errors";
import { now } from "@/lib/platform/time";

/**
 * How long after entering their password, or signing in with GitHub or Google, a user may take
 * protected actions.
 */
export const proofLifetimeMs = 10 * 60_000;

/** A user tried an action that requires a fresh proof of identity. */
export class ProofNeeded extends Error {
  override readonly name = "ProofNeeded";
  afterRollback?: AfterRollback;

  /** @param what a verb and its object: "create a live key". */
  constructor(readonly what: string) {
    super(`a fresh proof is needed to ${what}`);
  }
}

/**
 * Services call this through `requireStepUp` (protected-actions.ts). Their server actions run with
 * `actWithProof`, and the components ask for the proof with `useProof`. Keys, jobs and operators
 * have no password to ask for.
 * @param what a verb and its object: "create a live key".
 */
export function requireRecentProof({ actor }: Identity, what: string): void {
  if (actor.type === "USER" && !hasRecentProof(actor.provedAt)) throw new ProofNeeded(what);
}

export function hasRecentProof(provedAt: Date | null | undefined): boolean {
  const at = now();
  return provedAt instanceof Date && at.getTime() - provedAt.getTime() <= proofLifetimeMs;
}
