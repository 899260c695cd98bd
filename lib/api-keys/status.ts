const dayMs = 24 * 60 * 60 * 1000;
/** How long before its expiry a key is shown as expiring. */
const soonMs = 7 * dayMs;
/** How long after its last use, or its creation, a key is shown as unused. */
const unusedMs = 30 * dayMs;

export const apiKeyStatuses = [
  "active",
  "expiring",
  "rolling",
  "unused",
  "expired",
  "suspended",
  "revoked",
] as const;

/**
 * `rolling`: another key has replaced this one, which stays valid for the overlap. `suspended`: it
 * was created before the owner's address was verified, and is refused until it is confirmed.
 */
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

export type StatusFacts = {
  revokedAt: Date | null;
  suspendedAt: Date | null;
  expiresAt: Date | null;
  replacedById: string | null;
  lastUsedAt: Date | null;
  createdAt: Date;
};

/**
 * The first status that applies, in this order: a revoked key stays revoked even after it expires.
 */
export function apiKeyStatus(key: StatusFacts, now: Date): ApiKeyStatus {
  const { soon, unusedSince } = limits(now);
  if (key.revokedAt) return "revoked";
  if (key.expiresAt && key.expiresAt <= now) return "expired";
  if (key.suspendedAt) return "suspended";
  if (key.expiresAt && key.replacedById) return "rolling";
  if (key.expiresAt && key.expiresAt <= soon) return "expiring";
  return (key.lastUsedAt ?? key.createdAt) <= unusedSince ? "unused" : "active";
}

/** The same rule as a condition on rows. */
export function statusCondition(status: ApiKeyStatus, now: Date) {
  const { soon, unusedSince } = limits(now);
  const lives = { revokedAt: null, suspendedAt: null };
  const stays = {
    ...lives,
    replacedById: null,
    OR: [{ expiresAt: null }, { expiresAt: { gt: soon } }],
  };
  const used = [
    { lastUsedAt: { gt: unusedSince } },
    { lastUsedAt: null, createdAt: { gt: unusedSince } },
  ];
  const unused = [
    { lastUsedAt: { lte: unusedSince } },
    { lastUsedAt: null, createdAt: { lte: unusedSince } },
  ];
  const conditions = {
    active: { AND: [stays, { OR: used }] },
    unused: { AND: [stays, { OR: unused }] },
    expiring: { ...lives, replacedById: null, expiresAt: { gt: now, lte: soon } },
    rolling: { ...lives, replacedById: { not: null }, expiresAt: { gt: now } },
    expired: { revokedAt: null, expiresAt: { lte: now } },
    suspended: {
      revokedAt: null,
      suspendedAt: { not: null },
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
    },
    revoked: { revokedAt: { not: null } },
  } satisfies Record<ApiKeyStatus, object>;
  return conditions[status];
}

const limits = (now: Date) => ({
  soon: new Date(now.getTime() + soonMs),
  unusedSince: new Date(now.getTime() - unusedMs),
});
