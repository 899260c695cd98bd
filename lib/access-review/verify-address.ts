import type { Db } from "@/lib/platform/db";
import { recordAuditOfUser } from "@/lib/users/service";
import { suspendAccessMadeBy } from "./suspend-access";

type How = {
  at: Date;
  address: string | null;
  /** The user has reviewed everything that was created before, and confirms it in the same step. */
  confirmsEverything?: boolean;
};

/**
 * Marks the user's address as verified, in the transaction that proves it. This is the only way an
 * existing user's address becomes verified.
 * @returns false if it was already verified; nothing changes then
 */
export async function verifyAddress(
  transaction: Db,
  userId: string,
  { at, address, confirmsEverything = false }: How,
): Promise<boolean> {
  const { count } = await transaction.user.updateMany({
    where: { id: userId, emailVerifiedAt: null },
    data: { emailVerifiedAt: at },
  });
  if (count === 0) return false;

  const user = await transaction.user.findUniqueOrThrow({ where: { id: userId } });
  await transaction.emailVerification.deleteMany({ where: { userId } });
  await recordAuditOfUser(transaction, userId, address, {
    action: "user.email_verified",
    changes: {},
  });
  if (!confirmsEverything) await suspendAccessMadeBy(transaction, user, at, address);
  return true;
}
