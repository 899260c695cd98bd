/** At most `limit` requests in any `windowMs`, counted under `identifier`. */
export type Policy = { identifier: string; limit: number; windowMs: number };

/**
 * `resetMs` is the time until `remaining` grows, or, if nothing remains, until the next request is
 * allowed. It is a duration and not a point in time, because the counting clock may be on another
 * machine.
 */
export type PolicyState = { limit: number; remaining: number; resetMs: number };

export type RateLimitResult = PolicyState & { isAllowed: boolean };

/**
 * Counts requests in buckets of a sixtieth of the window, each stamped with the time of its last
 * request. A bucket counts until its stamp is one window old. Therefore no window ever contains
 * more requests than the limit, a request is refused only if the last window and one bucket contain
 * the limit, and an identifier needs the same memory at any limit.
 *
 * Counts belong to an identifier and a window length, not to a limit. A changed limit applies
 * immediately, also to requests that were already counted. None of these functions ever throws.
 */
export type RateLimiter = {
  /** Takes one request. A refused one is not counted. */
  take(identifier: string, limit: number, windowMs: number): Promise<RateLimitResult>;
  /** Takes one request from every policy, or from none if one of them refuses. */
  takeAll(policies: Policy[]): Promise<{ isAllowed: boolean; states: PolicyState[] }>;
  /**
   * Returns what remains without taking a request. `isAllowed` says whether one would be allowed.
   */
  peek(identifier: string, limit: number, windowMs: number): Promise<RateLimitResult>;
};

/** In whole milliseconds: a second for a window of a minute. */
export const bucketWidth = (windowMs: number) => Math.ceil(windowMs / 60);
