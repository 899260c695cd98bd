import { bucketWidth, type Policy, type PolicyState, type RateLimiter } from "./policy";

type MemoryRateLimiterOptions = {
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
  /** The minimum number of identifiers that are remembered. The maximum is twice that. */
  maximumIdentifiers?: number;
};

/** `lastMs` is when its last request was taken. */
type Bucket = { number: number; taken: number; lastMs: number };

/** Buckets by identifier, oldest first. `recent` holds the identifiers used since `startedMs`. */
type Generations = {
  startedMs: number;
  recent: Map<string, Bucket[]>;
  older: Map<string, Bucket[]>;
};

/**
 * The limiter of one process. It counts like the Redis script, but separately in each process.
 *
 * A generation that was unused for one window is dropped as a whole, so no sweep or timer is
 * needed. Window lengths are constants of the callers, so there are only a few.
 */
export function memoryRateLimiter({
  now = () => performance.now(),
  maximumIdentifiers = 100_000,
}: MemoryRateLimiterOptions = {}): RateLimiter {
  const generationsByLength = new Map<number, Generations>();

  function generationsAt(nowMs: number, windowMs: number): Generations {
    const known = generationsByLength.get(windowMs);
    if (known && nowMs < known.startedMs + windowMs) return known;
    return startGeneration(nowMs, windowMs, known);
  }

  function startGeneration(
    nowMs: number,
    windowMs: number,
    known: Generations | undefined,
  ): Generations {
    const started = { startedMs: nowMs, recent: new Map(), older: known?.recent ?? new Map() };
    generationsByLength.set(windowMs, started);
    return started;
  }

  function livingBuckets({ identifier, windowMs }: Policy, nowMs: number): Bucket[] {
    const { recent, older } = generationsAt(nowMs, windowMs);
    const buckets = recent.get(identifier) ?? older.get(identifier) ?? [];
    const firstLiving = buckets.findIndex(({ lastMs }) => lastMs > nowMs - windowMs);
    buckets.splice(0, firstLiving < 0 ? buckets.length : firstLiving);
    return buckets;
  }

  function add({ identifier, windowMs }: Policy, buckets: Bucket[], nowMs: number): void {
    const number = Math.floor(nowMs / bucketWidth(windowMs));
    const newest = buckets.at(-1);
    if (newest?.number === number)
      Object.assign(newest, { taken: newest.taken + 1, lastMs: nowMs });
    else buckets.push({ number, taken: 1, lastMs: nowMs });

    const generations = generationsAt(nowMs, windowMs);
    if (generations.recent.has(identifier)) return;
    const isFull = generations.recent.size >= maximumIdentifiers;
    const { recent } = isFull ? startGeneration(nowMs, windowMs, generations) : generations;
    recent.set(identifier, buckets);
  }

  function ask(
    policies: Policy[],
    isTaking: boolean,
  ): { isAllowed: boolean; states: PolicyState[] } {
    // Whole milliseconds, as in Redis. With fractions, rounding errors would turn a wait of 60 s
    // into 61.
    const nowMs = Math.floor(now());
    const counted = policies.map((policy) => ({ policy, buckets: livingBuckets(policy, nowMs) }));
    const isAllowed = counted.every(({ policy, buckets }) => sum(buckets) < policy.limit);
    if (isAllowed && isTaking)
      for (const { policy, buckets } of counted) add(policy, buckets, nowMs);
    return {
      isAllowed,
      states: counted.map(({ policy, buckets }) => stateOf(policy, buckets, nowMs)),
    };
  }

  function askOne(policy: Policy, isTaking: boolean) {
    const { isAllowed, states } = ask([policy], isTaking);
    return { isAllowed, ...(states[0] as PolicyState) };
  }

  return {
    take: async (identifier, limit, windowMs) => askOne({ identifier, limit, windowMs }, true),
    takeAll: async (policies) => ask(policies, true),
    peek: async (identifier, limit, windowMs) => askOne({ identifier, limit, windowMs }, false),
  };
}

const sum = (buckets: Bucket[]) => buckets.reduce((total, { taken }) => total + taken, 0);

function stateOf({ limit, windowMs }: Policy, buckets: Bucket[], nowMs: number): PolicyState {
  const used = sum(buckets);
  let toExpire = Math.max(1, used - limit + 1);
  const expiring = buckets.find(({ taken }) => {
    toExpire -= taken;
    return toExpire <= 0;
  });
  const resetMs = expiring ? expiring.lastMs + windowMs - nowMs : windowMs;
  return { limit, remaining: Math.max(0, limit - used), resetMs };
}
