import type { KnownKey } from "@/lib/api-keys/key-cache";
import { AppError } from "@/lib/errors";
import { type RateLimitResult, rateLimiter } from "@/lib/rate-limit/rate-limiter";

const windowMs = 60_000;

export const limitKey = ({ id, rateLimitPerMinute }: KnownKey) => rateLimiter().take(`key:${id}`, rateLimitPerMinute, windowMs);

/** Whole seconds until another request is free, at least 1. */
const secondsLeft = ({ resetMs }: RateLimitResult) => Math.max(1, Math.ceil(resetMs / 1_000));

/** The draft's two headers, and the older three that many clients know. */
export function addRateLimitHeaders(headers: Record<string, string>, result: RateLimitResult): void {
  headers["RateLimit-Policy"] = `"default";q=${result.limit};w=${windowMs / 1_000}`;
  headers.RateLimit = `"default";r=${result.remaining};t=${secondsLeft(result)}`;
  headers["X-RateLimit-Limit"] = String(result.limit);
  headers["X-RateLimit-Remaining"] = String(result.remaining);
  headers["X-RateLimit-Reset"] = String(Math.ceil((Date.now() + result.resetMs) / 1_000));
}

export function rateLimited(result: RateLimitResult): AppError {
  const retryAfter = secondsLeft(result);
  const detail = `The limit of ${result.limit} requests a minute is reached. Try again in ${retryAfter} s.`;
  return new AppError("rate-limited", detail, { retryAfter }, { "Retry-After": String(retryAfter) });
}
