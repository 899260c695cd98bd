import type { Db } from "@/lib/platform/db";
import { recordAuditOfUser } from "@/lib/users/service";
import { suspendAccessMadeBy } from "./suspend-access";

type How = {
  at: Date;
  address: string | null;
  /** The user has seen everything that was made before, and confirms it in the same step. */
  confirmsEverything?: boolean;
};

/**
 * Notes that the user has shown for the first time that their address is theirs, in the transaction
 * that shows it. This is the only way in which an existing user's address becomes verified.
 * @returns false if it was verified before, and then nothing changes
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
