import { type Duration, Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { log } from "@/lib/log";
import { type RateLimiter, type RateLimitResult, windowEndMs } from "./sliding-window";

type UpstashRateLimiterOptions = { url: string; token: string; timeoutMs?: number };

/** Requests that were let through because the store gave no answer, since this process started. */
export type LetThrough = { count: number; lastAtMs: number | null };

/** An answer takes a few milliseconds when all is well; half a second means a store in trouble. */
const defaultTimeoutMs = 500;
const logIntervalMs = 1_000;

/** After so many failures in a row the store is asked only once in a while, so that not every request waits in vain. */
const failuresBeforePause = 5;
const pauseMs = 1_000;

const maximumLimiters = 1_000;

/**
 * The limiter that all processes share. If its store is down or slow, requests are let through, logged and counted:
 * an outage of the limiter must not become an outage of the product.
 */
export function upstashRateLimiter({ url, token, timeoutMs = defaultTimeoutMs }: UpstashRateLimiterOptions): RateLimiter & {
  letThrough: Readonly<LetThrough>;
} {
  const redis = new Redis({
    url,
    token,
    // A connection that went stale while idle gets a second chance, within the same deadline.
    retry: { retries: 1, backoff: () => 0 },
    // As a function: given a bare signal, the client answers an abort with a made-up result instead of an error.
    signal: () => AbortSignal.timeout(timeoutMs),
    enableTelemetry: false,
  });
  const limiters = new Map<string, Ratelimit>();
  const letThrough: LetThrough = { count: 0, lastAtMs: null };
  let failuresInARow = 0;
  let askAgainAt = 0;
  let lastLoggedAt = Number.NEGATIVE_INFINITY;

  function limiterFor(limit: number, windowMs: number): Ratelimit {
    const name = `${limit}/${windowMs}`;
    const known = limiters.get(name);
    if (known) return known;

    const limiter = new Ratelimit({
      redis,
      limiter: Ratelimit.slidingWindow(limit, `${windowMs} ms` satisfies Duration),
      prefix: "parlance",
      timeout: timeoutMs,
      analytics: false,
      enableTelemetry: false,
      // Its cache denies until the end of the window, although the sliding window opens again before that.
      ephemeralCache: false,
    });
    // They hold no counts and are cheap to make again. Keys may have any limit, so there could be many.
    if (limiters.size >= maximumLimiters) limiters.clear();
    limiters.set(name, limiter);
    return limiter;
  }

  function recordLetThrough(reason: string): void {
    letThrough.count += 1;
    letThrough.lastAtMs = Date.now();

    if (performance.now() - lastLoggedAt < logIntervalMs) return;
    lastLoggedAt = performance.now();
    log.error({ reason, letThrough: letThrough.count }, "the rate limiter's store gives no answer, requests are let through");
  }

  function isPaused(): boolean {
    if (failuresInARow < failuresBeforePause) return false;
    if (performance.now() < askAgainAt) return true;
    // This one request finds out whether the store is back; the others need not wait for it.
    askAgainAt = performance.now() + pauseMs;
    return false;
  }

  async function ask(
    limit: number,
    windowMs: number,
    question: (limiter: Ratelimit) => Promise<RateLimitResult>,
  ): Promise<RateLimitResult> {
    const unlimited = { isAllowed: true, limit, remaining: limit, resetAtMs: windowEndMs(Date.now(), windowMs) };
    if (isPaused()) {
      recordLetThrough("paused");
      return unlimited;
    }

    try {
      const answer = await question(limiterFor(limit, windowMs));
      failuresInARow = 0;
      return answer;
    } catch (error) {
      failuresInARow += 1;
      askAgainAt = performance.now() + pauseMs;
      recordLetThrough(reasonOf(error));
      return unlimited;
    }
  }

  return {
    letThrough,
    take: (identifier, limit, windowMs) =>
      ask(limit, windowMs, async (limiter) => {
        const { success, remaining, reset, reason } = await limiter.limit(identifier);
        // On a timeout it answers "allowed" with zeros for figures.
        if (reason === "timeout") throw new Error("timeout");
        return { isAllowed: success, limit, remaining, resetAtMs: reset };
      }),
    peek: (identifier, limit, windowMs) =>
      ask(limit, windowMs, async (limiter) => {
        const { remaining, reset } = await limiter.getRemaining(identifier);
        return { isAllowed: remaining > 0, limit, remaining, resetAtMs: reset };
      }),
  };
}

/** What went wrong, without the command that the client quotes: it names addresses and accounts. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const message = error.message.split(", command was:")[0] ?? "";
  return typeof code === "string" ? `${message} (${code})` : message;
}
