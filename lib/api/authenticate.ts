import { findKey, type KnownKey } from "@/lib/api-keys/key-cache";
import { hashKey, isWellFormedKey } from "@/lib/api-keys/key-format";
import { throttleAddress } from "@/lib/platform/client-address";
import { addressNotAllowed, unauthorized } from "@/lib/platform/errors";
import { rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";
import { rateLimited } from "./rate-limit";
import type { ApiRequest } from "./read-request";

/**
 * How many requests per minute one address may send without a usable key. This limits guessing.
 * Valid keys still work from that address.
 */
const failuresPerMinute = 300;
const windowMs = 60_000;

/**
 * Addresses that reached the limit, with the time when they may try again (`performance.now()`).
 */
const exhausted = new Map<string, number>();
const maximumExhausted = 10_000;

/**
 * The key of `Authorization: Bearer …`. Missing, malformed, unknown, expired and revoked keys get
 * the same response.
 * @throws AppError `unauthorized`, or `rate-limited` for an address that keeps trying
 */
export async function authenticate(request: ApiRequest, address: string | null): Promise<KnownKey> {
  const [, text] = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (text && isWellFormedKey(text)) {
    // A valid key passes even if others at the same address keep guessing.
    const key = await findKey(hashKey(text));
    if (key) return key;
  }
  await countFailure(address);
  throw unauthorized();
}

/**
 * Runs before the key's rate limit and usage: a leaked key that is used from elsewhere does not use
 * up its owner's limit.
 * @throws AppError `ip-not-allowed`, or `rate-limited` for an address that keeps trying
 */
export async function requireAllowedAddress(key: KnownKey, address: string | null): Promise<void> {
  if (key.isAllowedFrom(address)) return;
  await countFailure(address);
  throw addressNotAllowed();
}

async function countFailure(address: string | null): Promise<void> {
  const counted = throttleAddress(address);
  const leftMs = exhaustedForMs(counted);
  if (leftMs > 0) throw tooManyFailures(leftMs);

  const { isAllowed, resetMs } = await rateLimiter().take(
    `unauthenticated:${counted}`,
    failuresPerMinute,
    windowMs,
  );
  if (isAllowed) return;
  if (exhausted.size >= maximumExhausted) exhausted.clear();
  exhausted.set(counted, performance.now() + resetMs);
  throw tooManyFailures(resetMs);
}

const tooManyFailures = (resetMs: number) =>
  rateLimited(
    { limit: failuresPerMinute, resetMs },
    "requests per minute without a valid API key from one address",
  );

function exhaustedForMs(counted: string): number {
  const leftMs = (exhausted.get(counted) ?? 0) - performance.now();
  if (leftMs <= 0) exhausted.delete(counted);
  return leftMs;
}
