/**
 * The idempotency record that a change writes together with its effect. `status` is that of the
 * answer it stores.
 */
export type Claim = { key: string; fingerprint: Buffer; status: number; expiresAt: Date };

/** Turns a result into the answer's body: checked against the contract, then JSON. */
export type Serialize<Result> = (result: Result) => string;

/** The values of $4 to $8 of a one-statement change (lib/events/outbox.sql.ts). */
export function claimValues(claim: Claim | null, body: string) {
  return claim
    ? [claim.key, claim.fingerprint, claim.status, body, claim.expiresAt]
    : [null, null, null, null, null];
}
