import { mailTransport } from "@/lib/mail/mail-transport";
import { type Db, db } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { lockAccount } from "@/lib/resources/lock-row";
import { type Device, findProof, type SignedInUser } from "@/lib/sessions/service";
import { recordAuditOfUser } from "@/lib/users/service";
import { hasRecentProof, ProofNeeded } from "./proof";
import { AddressUnverified } from "./protected-actions";

/**
 * Runs a change of how a user signs in, as one transaction that holds the lock of their account. A
 * stolen session must not be enough for it, so it needs a recent proof, which is read under the
 * lock: a session that ended meanwhile changes nothing.
 * @param what a verb and its object, such as "add a passkey"
 * @throws ProofNeeded, or AddressUnverified while mail is configured and the address is not
 * confirmed
 */
export async function changeAccount<Result>(
  user: Pick<SignedInUser, "id" | "sessionId">,
  { address }: Device,
  what: string,
  work: (transaction: Db, at: Date) => Promise<Result>,
  { needsVerifiedAddress = true } = {},
): Promise<Result> {
  try {
    return await db().$transaction(async (transaction) => {
      await lockAccount({ db: transaction }, { userId: user.id });
      const proof = await findProof(transaction, user.sessionId);
      if (!hasRecentProof(proof?.provedAt)) throw new ProofNeeded(what);
      const isVerified = !needsVerifiedAddress || proof?.user.emailVerifiedAt;
      if (!isVerified && mailTransport() === "smtp") throw new AddressUnverified(what);
      return work(transaction, now());
    });
  } catch (error) {
    if (error instanceof ProofNeeded || error instanceof AddressUnverified) {
      const missing = error instanceof ProofNeeded ? "proof" : "verified email address";
      await db().$transaction((transaction) =>
        recordAuditOfUser(transaction, user.id, address, {
          action: "user.confirmation_required",
          changes: { after: { attempt: what, missing } },
        }),
      );
    }
    throw error;
  }
}
