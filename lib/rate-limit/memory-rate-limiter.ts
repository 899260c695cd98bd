import { previousWeight, type RateLimiter, type RateLimitResult, windowEndMs, windowNumber } from "./sliding-window";

type MemoryRateLimiterOptions = {
  now?: () => number;
  /** How many identifiers are remembered in one window. Past it, the ones seen first are forgotten. */
  maximumIdentifiers?: number;
};

/** Who took how many in one window. `oldest` walks the identifiers in the order of their first request. */
type Counts = { taken: Map<string, number>; oldest: Iterator<string> | undefined };

/** The windows of one length: only the current and the previous one matter. */
type Windows = { number: number; current: Counts; previous: Counts };

const noCounts = (): Counts => ({ taken: new Map(), oldest: undefined });

/**
 * The limiter of one process. It counts to the number as `@upstash/ratelimit` does in Redis, but each process for itself.
 *
 * A window that has passed is dropped whole, so there is nothing to sweep and no timer. The lengths of windows are
 * constants of the callers, a handful.
 */
export function memoryRateLimiter({ now = Date.now, maximumIdentifiers = 100_000 }: MemoryRateLimiterOptions = {}): RateLimiter {
  const windowsByLength = new Map<number, Windows>();

  function windowsAt(nowMs: number, windowMs: number): Windows {
    const number = windowNumber(nowMs, windowMs);
    let windows = windowsByLength.get(windowMs);

    if (!windows) {
      windows = { number, current: noCounts(), previous: noCounts() };
      windowsByLength.set(windowMs, windows);
    } else if (windows.number !== number) {
      // Anything but one step forward is a pause longer than a window, or a clock set back: nothing of it weighs any more.
      windows.previous = number === windows.number + 1 ? windows.current : noCounts();
      windows.current = noCounts();
      windows.number = number;
    }
    return windows;
  }

  function forgetOldest(counts: Counts): void {
    // One iterator is kept: a new one would have to step over everything deleted so far, at every deletion.
    counts.oldest ??= counts.taken.keys();
    const next = counts.oldest.next();
    if (!next.done) counts.taken.delete(next.value);
  }

  function result(identifier: string, limit: number, windowMs: number, isTaking: boolean): RateLimitResult {
    const nowMs = now();
    const { current, previous } = windowsAt(nowMs, windowMs);
    const taken = current.taken.get(identifier) ?? 0;
    const left = limit - taken - previousWeight(previous.taken.get(identifier) ?? 0, nowMs, windowMs);
    const resetAtMs = windowEndMs(nowMs, windowMs);

    if (left <= 0) return { isAllowed: false, limit, remaining: 0, resetAtMs };
    if (!isTaking) return { isAllowed: true, limit, remaining: left, resetAtMs };

    if (taken === 0 && current.taken.size >= maximumIdentifiers) forgetOldest(current);
    current.taken.set(identifier, taken + 1);
    return { isAllowed: true, limit, remaining: left - 1, resetAtMs };
  }

  return {
    take: (identifier, limit, windowMs) => Promise.resolve(result(identifier, limit, windowMs, true)),
    peek: (identifier, limit, windowMs) => Promise.resolve(result(identifier, limit, windowMs, false)),
  };
}
