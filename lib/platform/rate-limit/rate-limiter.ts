import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import { type Meter, meter } from "@/lib/platform/meter";
import { memoryRateLimiter } from "./memory-rate-limiter";
import type { PolicyState, RateLimiter } from "./policy";
import { type Fallbacks, probeUpstash, upstashRateLimiter } from "./upstash-rate-limiter";

const log = logOf("rate-limit");

export type { PolicyState, RateLimiter, RateLimitResult } from "./policy";

/** `fallbacks` is always zero in memory, because there is no store that can fail. */
type RateLimitStore = { name: "upstash" | "memory"; fallbacks: Readonly<Fallbacks> };

type Shared = { limiter: RateLimiter; store: RateLimitStore };

// On globalThis for the reason given in lib/platform/db.ts: two copies of this module in one
// process must share their counts.
const shared = globalThis as { parlanceRateLimit?: Shared };

function create(): Shared {
  const { limiter, store } = createUncounted();
  const counting = meter();
  return { limiter: counting ? counted(limiter, counting) : limiter, store };
}

function createUncounted(): Shared {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token)
    return {
      limiter: memoryRateLimiter(),
      store: { name: "memory", fallbacks: { count: 0, lastAtMs: null } },
    };

  const limiter = upstashRateLimiter({ url, token });
  return { limiter, store: { name: "upstash", fallbacks: limiter.fallbacks } };
}

function current(): Shared {
  shared.parlanceRateLimit ??= create();
  return shared.parlanceRateLimit;
}

/** Counts decisions by what is limited, which is the first part of each identifier. */
function counted(limiter: RateLimiter, counting: Meter): RateLimiter {
  const count = (identifier: string, isAllowed: boolean) =>
    counting.count("rateLimitDecisions", {
      limit: identifier.slice(0, identifier.indexOf(":")),
      decision: isAllowed ? "allowed" : "refused",
    });
  return {
    ...limiter,
    take: async (identifier, limit, windowMs) => {
      const taken = await limiter.take(identifier, limit, windowMs);
      count(identifier, taken.isAllowed);
      return taken;
    },
    takeAll: async (policies) => {
      const taken = await limiter.takeAll(policies);
      const hasRefused = (state: PolicyState | undefined) => !taken.isAllowed && !state?.remaining;
      for (const [index, { identifier }] of policies.entries())
        count(identifier, !hasRefused(taken.states[index]));
      return taken;
    },
  };
}

/** The process's one limiter: Upstash's when it is configured, otherwise in memory. */
export const rateLimiter = (): RateLimiter => current().limiter;

/**
 * The place where requests are counted, and how many this process had to count in its own memory.
 */
export const rateLimitStore = (): RateLimitStore => current().store;

const bootProbeTimeoutMs = 5_000;

/**
 * Called at boot. Logs if this process cannot share its counts with the others; the process starts
 * anyway.
 */
export async function probeRateLimitStore(): Promise<void> {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token) return;
  try {
    await probeUpstash({ url, token }, bootProbeTimeoutMs);
  } catch (error) {
    const reason = (error as Error).message;
    log.error(
      { reason },
      "the rate limiter's store cannot be used, so each process counts in its own memory; see `npm run admin -- doctor`",
    );
  }
}
