/** How long before its end a key is said to expire soon. */
const soonMs = 7 * 24 * 60 * 60 * 1000;

export type ApiKeyStatus = "active" | "expires-soon" | "expired" | "revoked";

/** A revoked key stays revoked, also when its time has run out since. */
export function apiKeyStatus(key: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): ApiKeyStatus {
  if (key.revokedAt) return "revoked";
  if (!key.expiresAt) return "active";
  const leftMs = key.expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return "expired";
  return leftMs <= soonMs ? "expires-soon" : "active";
}
