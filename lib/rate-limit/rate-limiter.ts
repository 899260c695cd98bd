import { env } from "@/lib/env";
import { memoryRateLimiter } from "./memory-rate-limiter";
import type { RateLimiter } from "./sliding-window";
import { type LetThrough, upstashRateLimiter } from "./upstash-rate-limiter";

export type { RateLimiter, RateLimitResult } from "./sliding-window";

/** `letThrough` stays at zero in memory, where nothing can be down. */
type RateLimitStore = { name: "upstash" | "memory"; letThrough: Readonly<LetThrough> };

type Shared = { limiter: RateLimiter; store: RateLimitStore };

// Kept on globalThis for the reason given in lib/db.ts: two copies of this module in one process must count together.
const shared = globalThis as { parlanceRateLimit?: Shared };

function create(): Shared {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token) return { limiter: memoryRateLimiter(), store: { name: "memory", letThrough: { count: 0, lastAtMs: null } } };

  const limiter = upstashRateLimiter({ url, token });
  return { limiter, store: { name: "upstash", letThrough: limiter.letThrough } };
}

function current(): Shared {
  shared.parlanceRateLimit ??= create();
  return shared.parlanceRateLimit;
}

/** The process's one limiter: Upstash's when it is configured, otherwise in memory. */
export const rateLimiter = (): RateLimiter => current().limiter;

/** For readiness and the doctor: where requests are counted, and how many were let through uncounted. */
export const rateLimitStore = (): RateLimitStore => current().store;
