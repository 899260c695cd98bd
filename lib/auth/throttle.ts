import { createHash } from "node:crypto";
import { throttleAddress } from "@/lib/client-address";
import { rateLimiter } from "@/lib/rate-limit/rate-limiter";

const windowMs = 15 * 60_000;
/** Failed sign-ins in one window, from anywhere to one account and from one address to any account. */
export const maximumFailures = { account: 10, address: 50 };
/** Ways back from GitHub or Google to one address in one window; each costs a few requests to there. */
export const maximumProviderSignIns = 50;
/** Accounts made from one address in one window. */
export const maximumSignUps = 50;

/** The limiter's store has no need to know who has an account. */
const digest = (email: string) => createHash("sha256").update(email).digest("base64url");

export type Throttled = { outcome: "throttled"; retryAfterSeconds: number };

export function throttledSentence({ retryAfterSeconds }: Pick<Throttled, "retryAfterSeconds">): string {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return `Too many failed attempts. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}

// Shared between Next's bundles of this module, as the limiter is.
const shared = globalThis as { parlanceSignInsUnderWay?: Map<string, number> };

/**
 * Runs `attempt`, null from which is a failure, unless its account or address has failed too often. That is decided
 * before `attempt` begins, and attempts still under way count as failures until they end: a hundred guesses at the same
 * moment are no way round the limit. The account is counted whether it exists or not; what names none counts for its
 * address alone.
 */
export async function throttleFailures<Result>(
  { email, address }: { email: string | null; address: string | null },
  attempt: () => Promise<Result | null>,
): Promise<Throttled | { outcome: "failed" } | { outcome: "succeeded"; result: Result }> {
  shared.parlanceSignInsUnderWay ??= new Map();
  const underWay = shared.parlanceSignInsUnderWay;
  const counters = [
    ...(email === null ? [] : [{ identifier: `sign-in:account:${digest(email)}`, limit: maximumFailures.account }]),
    { identifier: `sign-in:address:${throttleAddress(address)}`, limit: maximumFailures.address },
  ];

  const states = await Promise.all(counters.map(({ identifier, limit }) => rateLimiter().peek(identifier, limit, windowMs)));
  // From here to the counting nothing is awaited, so that no other attempt comes in between.
  const isExhausted = (counter: { identifier: string }, index: number) =>
    (states[index]?.remaining ?? 0) <= (underWay.get(counter.identifier) ?? 0);
  if (counters.some(isExhausted)) {
    const resetMs = Math.max(...states.map((state) => state.resetMs));
    return { outcome: "throttled", retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
  }

  const change = (by: number) => {
    for (const { identifier } of counters) {
      const count = (underWay.get(identifier) ?? 0) + by;
      if (count > 0) underWay.set(identifier, count);
      else underWay.delete(identifier);
    }
  };
  change(1);
  try {
    const result = await attempt();
    if (result !== null) return { outcome: "succeeded", result };
    await Promise.all(counters.map(({ identifier, limit }) => rateLimiter().take(identifier, limit, windowMs)));
    return { outcome: "failed" };
  } finally {
    change(-1);
  }
}

/** Mails with a link to a new password, to one address and asked for from one network, in one window. */
export const maximumResets = { account: 5, address: 50 };

/** Whether a new password may be asked for now. Counted for an address that nobody has, too. */
export async function mayAskForReset(email: string, address: string | null): Promise<boolean> {
  const counters = [
    { identifier: `password-reset:account:${digest(email)}`, limit: maximumResets.account },
    { identifier: `password-reset:address:${throttleAddress(address)}`, limit: maximumResets.address },
  ];
  const taken = await Promise.all(counters.map(({ identifier, limit }) => rateLimiter().take(identifier, limit, windowMs)));
  return taken.every(({ isAllowed }) => isAllowed);
}

/** Whether somebody from this address may come back from GitHub or Google now. */
export async function mayComeFromProvider(address: string | null): Promise<boolean> {
  const taken = await rateLimiter().take(`sign-in:provider:${throttleAddress(address)}`, maximumProviderSignIns, windowMs);
  return taken.isAllowed;
}

/** Whether this address may make another account now. */
export async function mayMakeAccount(address: string | null): Promise<boolean> {
  const taken = await rateLimiter().take(`sign-up:address:${throttleAddress(address)}`, maximumSignUps, windowMs);
  return taken.isAllowed;
}
