import { AppError } from "@/lib/platform/errors";
import { rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";

/**
 * Dashboard actions in any minute, by one user and by all users of one organization. Far more than
 * anyone clicks.
 */
export const dashboardLimits = { user: 240, tenant: 1_200 };

const windowMs = 60_000;

/**
 * Counts one action against the user and their organization. Reading pages does not count.
 * @param tenantId null if no organization is involved yet
 * @throws AppError `rate-limited`
 */
export async function throttleDashboard(userId: string, tenantId: string | null): Promise<void> {
  const user = { identifier: `dashboard:user:${userId}`, limit: dashboardLimits.user, windowMs };
  const tenant = {
    identifier: `dashboard:tenant:${tenantId}`,
    limit: dashboardLimits.tenant,
    windowMs,
  };
  const { isAllowed, states } = await rateLimiter().takeAll(tenantId ? [user, tenant] : [user]);
  if (isAllowed) return;

  const [ofUser] = states;
  const retryAfter = Math.max(
    1,
    ...states
      .filter(({ remaining }) => remaining === 0)
      .map(({ resetMs }) => Math.ceil(resetMs / 1_000)),
  );
  const who = ofUser?.remaining === 0 ? "You have" : "Your organization has";
  const seconds = retryAfter === 1 ? "1 second" : `${retryAfter} seconds`;
  const detail = `${who} made too many changes in the last minute. Try again in ${seconds}.`;
  throw new AppError("rate-limited", detail, { retryAfter }, { "Retry-After": String(retryAfter) });
}
