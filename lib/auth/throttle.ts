import { throttleAddress } from "@/lib/platform/client-address";
import { rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";
import type { Device } from "@/lib/sessions/service";
import { accountTag } from "./known-device";

const minuteMs = 60_000;
const windowMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

/**
 * Failures that one source may have with one account. All of these apply, so the wait grows with
 * the failures: up to a minute after 5 of them, a quarter of an hour after 10, four hours after 20.
 */
export const failureLimits = [
  { limit: 5, windowMs: minuteMs },
  { limit: 10, windowMs },
  { limit: 20, windowMs: 4 * 60 * minuteMs },
] as const;
/**
 * Failures of strangers with one account in a day. Past this, many networks guess at it together.
 */
export const attackThreshold = 100;
/**
 * What each unknown network may still try in a day then. Never none: its owner may come from a new
 * network.
 */
export const failuresPerNetworkUnderAttack = 3;
/** Failures from one network with any accounts, in one window. */
export const maximumFailures = 50;
/**
 * Returns from GitHub or Google to one network in one window; each costs a few requests to there.
 */
export const maximumProviderSignIns = 50;
/** Accounts made from one network in one window. */
export const maximumSignUps = 50;
/**
 * Requests for a new password in one window: from one source for one account, and from one network
 * for any.
 */
export const maximumResets = { account: 5, network: 50 };

export type Throttled = { outcome: "throttled"; retryAfterSeconds: number };

export function throttledSentence({
  retryAfterSeconds,
}: Pick<Throttled, "retryAfterSeconds">): string {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  if (minutes > 90)
    return `Too many failed attempts. Try again in ${Math.ceil(minutes / 60)} hours.`;
  return `Too many failed attempts. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}

/** Where an attempt comes from: a device, and the session that it is signed in with. */
export type AttemptSource = Device & { sessionId?: string };

/**
 * A signed-in session, and a device that signed in to this account before, have counts of their
 * own, which no stranger can use up. Null for everyone else: they are counted by their network.
 */
function trustedSource({ sessionId, known }: AttemptSource, tag: string | null): string | null {
  if (sessionId) return `session:${sessionId}`;
  return tag && known && Object.hasOwn(known.accounts, tag) ? `device:${known.id}:${tag}` : null;
}

/**
 * Without a role, it refuses by itself: `attack` says that many networks guess, and `underAttack`
 * refuses only then.
 */
type Counter = {
  identifier: string;
  limit: number;
  windowMs: number;
  role?: "attack" | "underAttack";
};

/** The account is counted whether it exists or not. Without one, only the network is. */
function failureCounters(email: string | null, source: AttemptSource): Counter[] {
  const tag = email === null ? null : accountTag(email);
  const stepsOf = (identifier: string): Counter[] =>
    failureLimits.map((step) => ({ identifier, ...step }));
  const trusted = trustedSource(source, tag);
  if (trusted) return stepsOf(`sign-in:${trusted}`);

  const network = throttleAddress(source.address);
  const ofNetwork: Counter = {
    identifier: `sign-in:network:${network}`,
    limit: maximumFailures,
    windowMs,
  };
  if (tag === null) return [ofNetwork];
  const identifier = `sign-in:stranger:${network}:${tag}`;
  return [
    ...stepsOf(identifier),
    ofNetwork,
    { identifier, limit: failuresPerNetworkUnderAttack, windowMs: dayMs, role: "underAttack" },
    {
      identifier: `sign-in:strangers:${tag}`,
      limit: attackThreshold,
      windowMs: dayMs,
      role: "attack",
    },
  ];
}

// Shared between Next's bundles of this module, as the limiter is.
const shared = globalThis as { parlanceSignInsInProgress?: Map<string, number> };

/**
 * Runs `attempt`, null from which is a failure, unless its source has failed too often. That is
 * decided before `attempt` begins, and attempts still in progress count as failures until they end:
 * a hundred guesses at the same moment are no way around the limit.
 * @param email null where the credentials name no account
 */
export async function throttleFailures<Result>(
  email: string | null,
  source: AttemptSource,
  attempt: () => Promise<Result | null>,
): Promise<Throttled | { outcome: "failed" } | { outcome: "succeeded"; result: Result }> {
  shared.parlanceSignInsInProgress ??= new Map();
  const inProgress = shared.parlanceSignInsInProgress;
  const counters = failureCounters(email, source);

  const limiter = rateLimiter();
  const states = await Promise.all(
    counters.map(async (counter) => ({
      ...counter,
      ...(await limiter.peek(counter.identifier, counter.limit, counter.windowMs)),
    })),
  );
  // From here to the counting nothing is awaited, so that no other attempt comes in between.
  const exhausted = states.filter(
    ({ identifier, remaining }) => remaining <= (inProgress.get(identifier) ?? 0),
  );
  const isUnderAttack = exhausted.some(({ role }) => role === "attack");
  const refusing = exhausted.filter(
    ({ role }) => role === undefined || (role === "underAttack" && isUnderAttack),
  );
  if (refusing.length > 0) {
    const resetMs = Math.max(...refusing.map((state) => state.resetMs));
    return { outcome: "throttled", retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
  }

  const identifiers = new Set(counters.map(({ identifier }) => identifier));
  const change = (by: number) => {
    for (const identifier of identifiers) {
      const count = (inProgress.get(identifier) ?? 0) + by;
      if (count > 0) inProgress.set(identifier, count);
      else inProgress.delete(identifier);
    }
  };
  change(1);
  try {
    const result = await attempt();
    if (result !== null) return { outcome: "succeeded", result };
    await Promise.all(
      counters.map(({ identifier, limit, windowMs }) => limiter.take(identifier, limit, windowMs)),
    );
    return { outcome: "failed" };
  } finally {
    change(-1);
  }
}

/** Whether a new password may be requested now. Counted for an address that nobody has, too. */
export async function mayRequestPasswordReset(
  email: string,
  source: AttemptSource,
): Promise<boolean> {
  const tag = accountTag(email);
  const network = throttleAddress(source.address);
  const trusted = trustedSource(source, tag);
  const ofNetwork = {
    identifier: `password-reset:network:${network}`,
    limit: maximumResets.network,
    windowMs,
  };
  const ofAccount = {
    identifier: `password-reset:${trusted ?? `stranger:${network}:${tag}`}`,
    limit: maximumResets.account,
    windowMs,
  };
  return (await rateLimiter().takeAll(trusted ? [ofAccount] : [ofAccount, ofNetwork])).isAllowed;
}

/** Whether someone from this network may return from GitHub or Google now. */
export async function mayReturnFromProvider(address: string | null): Promise<boolean> {
  const taken = await rateLimiter().take(
    `sign-in:provider:${throttleAddress(address)}`,
    maximumProviderSignIns,
    windowMs,
  );
  return taken.isAllowed;
}

/** Whether this network may make another account now. */
export async function mayCreateAccount(address: string | null): Promise<boolean> {
  const taken = await rateLimiter().take(
    `sign-up:address:${throttleAddress(address)}`,
    maximumSignUps,
    windowMs,
  );
  return taken.isAllowed;
}
