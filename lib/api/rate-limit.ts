import type { KnownKey } from "@/lib/api-keys/key-cache";
import { AppError } from "@/lib/platform/errors";
import { type PolicyState, rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";

const windowMs = 60_000;

/** `default` is the limit of the key, `tenant` that of all keys of its environment together. */
type NamedState = PolicyState & { name: "default" | "tenant" };

/**
 * `binding` is the policy with the fewest requests left. If the request is refused, it is the
 * reason.
 */
export type Taken = { isAllowed: boolean; states: NamedState[]; binding: NamedState };

export async function limitKey(key: KnownKey): Promise<Taken> {
  const { id, tenantId, environment, rateLimitPerMinute, tenantLimitPerMinute } = key;
  const policies = [{ identifier: `key:${id}`, limit: rateLimitPerMinute, windowMs }];
  if (tenantLimitPerMinute !== null) {
    policies.push({
      identifier: `tenant:${tenantId}:${environment}`,
      limit: tenantLimitPerMinute,
      windowMs,
    });
  }
  const { isAllowed, states } = await rateLimiter().takeAll(policies);
  const named = states.map(
    (state, index): NamedState => ({ ...state, name: index === 0 ? "default" : "tenant" }),
  );
  const [binding] = named.toSorted(
    (one, other) => one.remaining - other.remaining || other.resetMs - one.resetMs,
  );
  return { isAllowed, states: named, binding: binding as NamedState };
}

/** Whole seconds until another request is allowed, at least 1. */
const secondsLeft = ({ resetMs }: Pick<PolicyState, "resetMs">) =>
  Math.max(1, Math.ceil(resetMs / 1_000));

/**
 * Adds `RateLimit` and `RateLimit-Policy` of the IETF draft for every policy, and the older
 * `X-RateLimit-*`, which many clients know, for the binding policy.
 */
export function addRateLimitHeaders(
  headers: Record<string, string>,
  { states, binding }: Taken,
): void {
  headers["RateLimit-Policy"] = states
    .map(({ name, limit }) => `"${name}";q=${limit};w=${windowMs / 1_000}`)
    .join(", ");
  headers.RateLimit = states
    .map((state) => `"${state.name}";r=${state.remaining};t=${secondsLeft(state)}`)
    .join(", ");
  headers["X-RateLimit-Limit"] = String(binding.limit);
  headers["X-RateLimit-Remaining"] = String(binding.remaining);
  headers["X-RateLimit-Reset"] = String(Math.ceil((Date.now() + binding.resetMs) / 1_000));
}

/** @param what what is limited, as in "The limit of 60 requests per minute for this API key" */
export function rateLimited(
  { limit, resetMs }: Pick<PolicyState, "limit" | "resetMs">,
  what: string,
): AppError {
  const retryAfter = secondsLeft({ resetMs });
  const detail = `The limit of ${limit} ${what} is reached. Try again in ${retryAfter} s.`;
  return new AppError(
    "rate-limited",
    detail,
    { retryAfter },
    { "Retry-After": String(retryAfter) },
  );
}

export const limitedRequests = {
  default: "requests per minute for this API key",
  tenant: "requests per minute for all API keys of this environment together",
} as const satisfies Record<NamedState["name"], string>;
