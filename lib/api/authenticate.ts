import { hashKey, isWellFormedKey } from "@/lib/api-keys/key";
import { findKey, type KnownKey } from "@/lib/api-keys/key-cache";
import { throttleAddress } from "@/lib/client-address";
import { AppError } from "@/lib/errors";
import { rateLimiter } from "@/lib/rate-limit/rate-limiter";
import { rateLimited } from "./rate-limit";

/** Attempts with no valid key that one address has in a minute: guessing is slow. Valid keys go on working from there. */
const failuresPerMinute = 300;

/**
 * The key of `Authorization: Bearer …`. Missing, malformed, unknown, expired and revoked are one answer.
 * @throws AppError `unauthorized`, or `rate-limited` for an address that keeps trying
 */
export async function authenticate(request: Request, address: string | null): Promise<KnownKey> {
  const [, text] = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const key = text && isWellFormedKey(text) ? await findKey(hashKey(text)) : null;
  if (key) return key;

  const taken = await rateLimiter().take(`unauthenticated:${throttleAddress(address)}`, failuresPerMinute, 60_000);
  if (!taken.isAllowed) throw rateLimited(taken);
  throw new AppError("unauthorized", "Send a valid API key as `Authorization: Bearer <key>`.", {}, { "WWW-Authenticate": "Bearer" });
}
