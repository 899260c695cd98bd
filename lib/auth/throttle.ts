import { throttleAddress } from "@/lib/platform/client-address";
import { rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";
import type { Device } from "@/lib/sessions/service";
import { accountTag } from "./known-device";

const minuteMs = 60_000;
const windowMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

/**
 * Failures allowed to one source with one account. All of these limits apply, so the wait grows
 * with the failures: up to a minute after 5, 15 minutes after 10, and four hours after 20.
 */
export const failureLimits = [
  { limit: 5, windowMs: minuteMs },
  { limit: 10, windowMs },
  { limit: 20, windowMs: 4 * 60 * minuteMs },
] as const;
/**
 * Failures of strangers with one account in a day. Beyond this, it is under attack from many
 * networks.
 */
export const attackThreshold = 100;
/**
 * Attempts per day that each unknown network still has during an attack. Never zero: the owner may
 * come from a new network.
 */
export const failuresPerNetworkUnderAttack = 3;
/** Failures from one network, with any accounts, in one window. */
export const maximumFailures = 50;
/**
 * Returns from GitHub or Google to one network in one window. Each costs a few requests to the
 * provider.
 */
export const maximumProviderSignIns = 50;
/** Accounts created from one network in one window. */
export const maximumSignUps = 50;
/**
 * Password reset requests in one window: from one source for one account, and from one network for
 * any account.
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

/** The source of an attempt: a device, and its session if it is signed in. */
export type AttemptSource = Device & { sessionId?: string };

/**
 * A signed-in session, and a device that signed in to this account before, have their own counts,
 * which strangers cannot use up. Null for everyone else, who are counted by network.
 */
function trustedSource({ sessionId, known }: AttemptSource, tag: string | null): string | null {
  if (sessionId) return `session:${sessionId}`;
  return tag && known && Object.hasOwn(known.accounts, tag) ? `device:${known.id}:${tag}` : null;
}

/**
 * A counter without a role refuses on its own. `attack` detects guesses from many networks, and
 * `underAttack` refuses only during such an attack.
 */
type Counter = {
  identifier: string;
  limit: number;
  windowMs: number;
  role?: "attack" | "underAttack";
};

/** Counts the account whether it exists or not. Without an account, counts only the network. */
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

/**
 * Only those who know the password can try codes, so strangers cannot use up the owner's attempts.
 * An account therefore gets as few attempts from all networks together as from one: 120 a day, of a
 * million possible codes. Sessions, and devices that used the second factor before, have their own
 * counts.
 */
function codeCounters(user: { id: string; email: string }, source: AttemptSource): Counter[] {
  const from = trustedSource(source, accountTag(user.email)) ?? "stranger";
  const identifier = `second-factor:${user.id}:${from}`;
  return failureLimits.map((step) => ({ identifier, ...step }));
}

/**
 * A passkey that exists has its own counts in each network. Only its owner knows its id, so no one
 * else can use them up.
 */
function passkeyCounters(knownId: string | null, source: AttemptSource): Counter[] {
  if (knownId === null) return failureCounters(null, source);
  const identifier = `passkey:${accountTag(knownId)}:${throttleAddress(source.address)}`;
  return failureLimits.map((step) => ({ identifier, ...step }));
}

// Shared between Next's bundles of this module, as the limiter is.
const shared = globalThis as { parlanceSignInsInProgress?: Map<string, number> };

type Tried<Result> = Throttled | { outcome: "failed" } | { outcome: "succeeded"; result: Result };

/**
 * Runs `attempt` unless its source has failed too often; a result of null is a failure.
 * @param email null if the credentials name no account
 */
export const throttleFailures = <Result>(
  email: string | null,
  source: AttemptSource,
  attempt: () => Promise<Result | null>,
) => throttled(failureCounters(email, source), attempt);

/** The same for codes of a second factor. */
export const throttleCodes = <Result>(
  user: { id: string; email: string },
  source: AttemptSource,
  attempt: () => Promise<Result | null>,
) => throttled(codeCounters(user, source), attempt);

/**
 * The same for a passkey.
 * @param knownId null if there is no such passkey
 */
export const throttlePasskey = <Result>(
  knownId: string | null,
  source: AttemptSource,
  attempt: () => Promise<Result | null>,
) => throttled(passkeyCounters(knownId, source), attempt);

/**
 * The decision comes before `attempt` starts, and attempts in progress count as failures until they
 * end, so a hundred concurrent guesses do not get around the limit.
 */
async function throttled<Result>(
  counters: Counter[],
  attempt: () => Promise<Result | null>,
): Promise<Tried<Result>> {
  shared.parlanceSignInsInProgress ??= new Map();
  const inProgress = shared.parlanceSignInsInProgress;

  const limiter = rateLimiter();
  const states = await Promise.all(
    counters.map(async (counter) => ({
      ...counter,
      ...(await limiter.peek(counter.identifier, counter.limit, counter.windowMs)),
    })),
  );
  // Nothing is awaited from here until the attempt is counted, so that no other attempt can come in
  // between.
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

/** Whether a password reset may be requested now. Unknown addresses are counted too. */
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

/** Whether a user in this network may return from GitHub or Google now. */
export async function mayReturnFromProvider(address: string | null): Promise<boolean> {
  const taken = await rateLimiter().take(
    `sign-in:provider:${throttleAddress(address)}`,
    maximumProviderSignIns,
    windowMs,
  );
  return taken.isAllowed;
}

/** Whether another account may be created from this network now. */
export async function mayCreateAccount(address: string | null): Promise<boolean> {
  const taken = await rateLimiter().take(
    `sign-up:address:${throttleAddress(address)}`,
    maximumSignUps,
    windowMs,
  );
  return taken.isAllowed;
}
