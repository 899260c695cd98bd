/** `resetAtMs` is the end of the window in unix milliseconds; `Retry-After` and `X-RateLimit-Reset` are in seconds. */
export type RateLimitResult = { isAllowed: boolean; limit: number; remaining: number; resetAtMs: number };

/**
 * A sliding window. What was taken is counted by identifier and length of window, not by limit: a limit that is raised
 * or lowered holds at once, for what was taken before it too. Neither function ever throws.
 */
export type RateLimiter = {
  /** Takes one of `limit` requests per `windowMs` from `identifier`. One that is not allowed is not counted. */
  take(identifier: string, limit: number, windowMs: number): Promise<RateLimitResult>;
  /** What is left, without taking. `isAllowed` tells whether a take would have been allowed. */
  peek(identifier: string, limit: number, windowMs: number): Promise<RateLimitResult>;
};

/** Windows are counted from the epoch, so that every process cuts time at the same moments. */
export function windowNumber(nowMs: number, windowMs: number): number {
  return Math.floor(nowMs / windowMs);
}

export function windowEndMs(nowMs: number, windowMs: number): number {
  return (windowNumber(nowMs, windowMs) + 1) * windowMs;
}

/** How much of the previous window's count still weighs, rounded down exactly as `@upstash/ratelimit` does in Redis. */
export function previousWeight(previousCount: number, nowMs: number, windowMs: number): number {
  return Math.floor((1 - (nowMs % windowMs) / windowMs) * previousCount);
}
