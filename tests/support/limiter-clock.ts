import { memoryRateLimiter } from "@/lib/platform/rate-limit/memory-rate-limiter";

/**
 * From now on, the process's limiter counts by a clock that stands still, so that what a test counts
 * does not leave the window on a slow machine. Earlier counts are forgotten.
 */
export function stopLimiterClock() {
  let nowMs = 0;
  (globalThis as { parlanceRateLimit?: unknown }).parlanceRateLimit = {
    limiter: memoryRateLimiter({ now: () => nowMs }),
    store: { name: "memory", fallbacks: { count: 0, lastAtMs: null } },
  };
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}
