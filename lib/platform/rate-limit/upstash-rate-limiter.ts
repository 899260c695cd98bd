import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { logOf } from "@/lib/platform/log";
import { memoryRateLimiter } from "./memory-rate-limiter";
import type { Policy, PolicyState, RateLimiter } from "./policy";
import { windowScript } from "./window-script";

const log = logOf("rate-limit");

type UpstashRateLimiterOptions = {
  url: string;
  token: string;
  timeoutMs?: number;
  /** In place of the store's clock, which all processes share. */
  now?: () => number;
  /** This process's own clock, which never goes back. */
  elapsedMs?: () => number;
};

/**
 * Requests that this process counted in its own memory because the store did not respond, since it
 * started.
 */
export type Fallbacks = { count: number; lastAtMs: number | null };

/**
 * A response normally takes a few milliseconds. After half a second, something is wrong with the
 * store.
 */
const defaultTimeoutMs = 500;
const logIntervalMs = 1_000;

/**
 * After this many failures in a row, the store is tried only now and then, so that most requests do
 * not wait for it.
 */
const failuresBeforePause = 5;
const pauseMs = 1_000;

const prefix = "parlance";

type Decision = { isAllowed: boolean; states: PolicyState[] };

/**
 * The limiter that all processes share. While its store is down, slow or rejects the script, each
 * process counts in its own memory: an outage of the store must neither stop the product nor lift
 * the limits.
 */
export function upstashRateLimiter({
  timeoutMs = defaultTimeoutMs,
  elapsedMs = () => performance.now(),
  ...store
}: UpstashRateLimiterOptions): RateLimiter & { fallbacks: Readonly<Fallbacks> } {
  const askStore = storeClient({ ...store, timeoutMs });
  const memory = memoryRateLimiter({ now: elapsedMs });
  const fallbacks: Fallbacks = { count: 0, lastAtMs: null };
  let failuresInARow = 0;
  let askAgainAt = 0;
  let lastLoggedAt = Number.NEGATIVE_INFINITY;

  function recordFallback(reason: string): void {
    fallbacks.count += 1;
    fallbacks.lastAtMs = Date.now();

    if (elapsedMs() - lastLoggedAt < logIntervalMs) return;
    lastLoggedAt = elapsedMs();
    log.error(
      { reason, fallbacks: fallbacks.count },
      "the rate limiter's store does not respond, so each process counts in its own memory",
    );
  }

  function isPaused(): boolean {
    if (failuresInARow < failuresBeforePause) return false;
    if (elapsedMs() < askAgainAt) return true;
    // This request checks whether the store is back. The others do not wait for it.
    askAgainAt = elapsedMs() + pauseMs;
    return false;
  }

  async function ask(policies: Policy[], isTaking: boolean): Promise<Decision> {
    const askMemory = () => askEach(memory, policies, isTaking);
    if (isPaused()) {
      recordFallback("paused");
      return askMemory();
    }
    try {
      const decision = await askStore(policies, isTaking);
      if (failuresInARow > 0)
        log.info({ fallbacks: fallbacks.count }, "the rate limiter's store responds again");
      failuresInARow = 0;
      // Requests are also counted in memory, so that an outage does not give a second limit to
      // clients that have used up theirs.
      if (decision.isAllowed && isTaking) await askMemory();
      return decision;
    } catch (error) {
      failuresInARow += 1;
      askAgainAt = elapsedMs() + pauseMs;
      recordFallback(reasonOf(error));
      return askMemory();
    }
  }

  async function askOne(policy: Policy, isTaking: boolean) {
    const { isAllowed, states } = await ask([policy], isTaking);
    return { isAllowed, ...(states[0] as PolicyState) };
  }

  return {
    fallbacks,
    take: (identifier, limit, windowMs) => askOne({ identifier, limit, windowMs }, true),
    takeAll: (policies) => ask(policies, true),
    peek: (identifier, limit, windowMs) => askOne({ identifier, limit, windowMs }, false),
  };
}

async function askEach(
  memory: RateLimiter,
  policies: Policy[],
  isTaking: boolean,
): Promise<Decision> {
  if (isTaking) return memory.takeAll(policies);
  const states = await Promise.all(
    policies.map(({ identifier, limit, windowMs }) => memory.peek(identifier, limit, windowMs)),
  );
  return { isAllowed: states.every(({ isAllowed }) => isAllowed), states };
}

/**
 * Runs the limiter's own script against the store, like every request, without changing any count.
 * @throws Error that says what is wrong
 */
export async function probeUpstash(
  credentials: { url: string; token: string },
  timeoutMs: number,
): Promise<void> {
  const askStore = storeClient({ ...credentials, timeoutMs });
  // The window outlasts both calls, however slow the store is.
  const policy = { identifier: `probe:${crypto.randomUUID()}`, limit: 1, windowMs: 60_000 };
  try {
    const [first, second] = [await askStore([policy], true), await askStore([policy], true)];
    if (!first.isAllowed || second.isAllowed)
      throw new Error("the limiter's script does not count there");
  } catch (error) {
    throw new Error(reasonOf(error));
  }
}

/**
 * Makes one round trip for all policies. Throws if the store fails, is late, or sends an unexpected
 * response.
 */
function storeClient({
  url,
  token,
  timeoutMs,
  now,
}: UpstashRateLimiterOptions & { timeoutMs: number }) {
  const redis = new Redis({
    url,
    token,
    // A connection that went stale while idle gets a second chance, within the same deadline.
    retry: { retries: 1, backoff: () => 0 },
    // This is a function, because with a plain signal, the client returns an invented result after
    // an abort instead of throwing.
    signal: () => AbortSignal.timeout(timeoutMs),
    enableTelemetry: false,
  });
  const script = redis.createScript<unknown>(windowScript);

  return async function askStore(policies: Policy[], isTaking: boolean): Promise<Decision> {
    const keys = policies.map(({ identifier, windowMs }) => `${prefix}:${identifier}:${windowMs}`);
    const limits = policies.flatMap(({ limit, windowMs }) => [String(limit), String(windowMs)]);
    let decision: Decision | undefined;
    // The library supports one policy per call, so our function returns the result that it expects
    // and keeps the rest.
    const limit = async () => {
      decision = readDecision(
        await script.exec(keys, [isTaking ? "1" : "0", now ? String(now()) : "", ...limits]),
        policies,
      );
      return {
        success: decision.isAllowed,
        limit: 0,
        remaining: 0,
        reset: 0,
        pending: Promise.resolve(),
      };
    };
    const algorithm = () => ({ limit, getRemaining: limit, resetTokens: async () => {} });
    const options = {
      prefix,
      timeout: timeoutMs,
      analytics: false,
      enableTelemetry: false,
      ephemeralCache: false,
    } as const;
    const { reason } = await new Ratelimit({ redis, limiter: algorithm, ...options }).limit(
      policies[0]?.identifier ?? "",
    );
    // On a timeout the library says "allowed".
    if (reason === "timeout" || !decision) throw new Error("timeout");
    return decision;
  };
}

function readDecision(result: unknown, policies: Policy[]): Decision {
  const [allowed, ...figures] = Array.isArray(result) ? result.map(Number) : [];
  if (figures.length !== 2 * policies.length || figures.some(Number.isNaN))
    throw new Error("the store sent an unexpected response");
  const states = policies.map(({ limit }, index) => ({
    limit,
    remaining: figures[2 * index] ?? 0,
    resetMs: figures[2 * index + 1] ?? 0,
  }));
  return { isAllowed: allowed === 1, states };
}

/**
 * The error message without the command that the client quotes, because that contains addresses and
 * account ids.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const message = error.message.split(", command was:")[0] ?? "";
  return typeof code === "string" ? `${message} (${code})` : message;
}
