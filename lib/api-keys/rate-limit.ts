import type { ApiKeyModel } from "@/prisma/generated/models";

export type KeyLimit = Pick<ApiKeyModel, "rateLimitPerMinute" | "isCappedByPlan">;

/**
 * Requests per minute that a key may make. A limit that a user chose is at most the plan's, even
 * after a downgrade.
 * @param planLimit what the plan allows each key
 */
export function rateLimitOf(key: KeyLimit, planLimit: number): number {
  const limit = key.rateLimitPerMinute ?? planLimit;
  return key.isCappedByPlan ? Math.min(limit, planLimit) : limit;
}
