/**
 * What a webhook gets of which nothing is known: little enough that a hundred hanging ones leave
 * room for the others.
 */
const cautiousLimit = 4;
/** What was learned of a webhook is forgotten when it has been quiet for so long. */
const memoryMs = 5_000;

type Entry = {
  underWay: number;
  limit: number;
  isSaturated: boolean;
  usedAtMs: number;
  pausedUntilMs: number;
};

/**
 * How many deliveries each webhook may have under way in this process. One that answers well gets
 * more with every success, one that fails gets a single one until it succeeds again.
 */
export function createAllowances(maximumLimit: number) {
  const entries = new Map<string, Entry>();
  const initialLimit = Math.min(cautiousLimit, maximumLimit);

  /** How many more each webhook may take, for those that do not stand at the initial limit. */
  function remaining(): Map<string, number> {
    const now = performance.now();
    const result = new Map<string, number>();
    for (const [webhookId, entry] of entries) {
      if (now < entry.pausedUntilMs) result.set(webhookId, 0);
      else if (entry.underWay === 0 && now - entry.usedAtMs > memoryMs) entries.delete(webhookId);
      else result.set(webhookId, Math.max(0, entry.limit - entry.underWay));
    }
    return result;
  }

  function take(webhookId: string): void {
    const entry = entries.get(webhookId) ?? {
      underWay: 0,
      limit: initialLimit,
      isSaturated: false,
      usedAtMs: 0,
      pausedUntilMs: 0,
    };
    entries.set(webhookId, entry);
    entry.underWay++;
    entry.usedAtMs = performance.now();
  }

  /**
   * Told what a claim was allowed and what it took: a webhook that took all it was allowed may have
   * more that is due.
   * @returns whether one of these has room again already
   */
  function noteSaturation(allowed: Map<string, number>, taken: Map<string, number>): boolean {
    let hasRoom = false;
    for (const [webhookId, allowance] of allowed) {
      const entry = entries.get(webhookId);
      if (!entry || (taken.get(webhookId) ?? 0) < allowance) continue;
      entry.isSaturated = !isWorthClaiming(entry);
      hasRoom ||= !entry.isSaturated;
    }
    return hasRoom;
  }

  /** @returns whether it is worth claiming again now, rather than for each delivery that ends. */
  function release(webhookId: string, isSuccess: boolean): boolean {
    const entry = entries.get(webhookId);
    if (!entry) return false;
    entry.underWay--;
    entry.limit = isSuccess ? Math.min(entry.limit + 1, maximumLimit) : 1;
    if (!entry.isSaturated || !isWorthClaiming(entry)) return false;
    entry.isSaturated = false;
    return true;
  }

  /**
   * Takes no more of a webhook's deliveries for a while: nothing that is claimed now could be sent.
   */
  function pause(webhookId: string, pauseMs: number): void {
    const entry = entries.get(webhookId);
    if (entry) entry.pausedUntilMs = performance.now() + pauseMs;
  }

  return { initialLimit, remaining, take, noteSaturation, release, pause };
}

/** Half of what it may have, so that a claim brings many at once. */
function isWorthClaiming({ underWay, limit }: Entry): boolean {
  return underWay <= limit / 2;
}
