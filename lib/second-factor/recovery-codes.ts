import { randomBytes } from "node:crypto";
import type { Db } from "@/lib/platform/db";
import { hashToken } from "@/lib/platform/link-token";
import { toBase32 } from "./base32";

const codeCount = 10;

/**
 * Replaces all recovery codes of a user. Each has 80 random bits, so a fast hash is enough: no one
 * can try them all.
 * @returns the codes, which are stored nowhere
 */
export async function renewRecoveryCodes(transaction: Db, userId: string): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, () => toBase32(randomBytes(10)));
  await transaction.recoveryCode.deleteMany({ where: { userId } });
  await transaction.recoveryCode.createMany({
    data: codes.map((code) => ({ userId, hash: hashToken(code) })),
  });
  return codes.map((code) => code.replace(/(.{4})(?!$)/g, "$1-").toLowerCase());
}

/** @returns whether it was one of the user's codes. It does not work again. */
export async function consumeRecoveryCode(
  transaction: Db,
  userId: string,
  sent: string,
): Promise<boolean> {
  const code = sent.toUpperCase().replace(/[^A-Z2-7]/g, "");
  const { count } = await transaction.recoveryCode.deleteMany({
    where: { userId, hash: hashToken(code) },
  });
  return count > 0;
}

export const countRecoveryCodes = (transaction: Db, userId: string) =>
  transaction.recoveryCode.count({ where: { userId } });
