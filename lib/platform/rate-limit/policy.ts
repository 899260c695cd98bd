/** At most `limit` requests in any `windowMs`, counted under `identifier`. */
export type Policy = { identifier: string; limit: number; windowMs: number };

/**
 * `resetMs` is how long it takes until `remaining` grows: where nothing remains, until the next
 * request is allowed. It is a duration, not a moment, because the clock that counts may not be this
 * process's.
 */
export type PolicyState = { limit: number; remaining: number; resetMs: number };

export type RateLimitResult = PolicyState & { isAllowed: boolean };

/**
 * Counts what was taken in buckets of a sixtieth of the window, each stamped with its last request;
 * a bucket counts until its stamp is one window old. So no window ever holds more than the limit, a
 * request is refused only if the last window and one bucket hold the limit, and an identifier takes
 * the same memory at any limit.
 *
 * Counts belong to an identifier and a length of window, not to a limit: a changed limit applies
 * immediately, to what was taken before as well. None of these functions ever throws.
 */
export type RateLimiter = {
  /** Takes one request. A refused one is not counted. */
  take(identifier: string, limit: number, windowMs: number): Promise<RateLimitResult>;
  /** Takes one request from every policy, or from none if one of them refuses. */
  takeAll(policies: Policy[]): Promise<{ isAllowed: boolean; states: PolicyState[] }>;
  /** What remains, without taking. `isAllowed` says whether a take would have been allowed. */
  peek(identifier: string, limit: number, windowMs: number): Promise<RateLimitResult>;
};

/** In whole milliseconds: a second for a window of a minute. */
export const bucketWidth = (windowMs: number) => Math.ceil(windowMs / 60);
