/** What a webhook gets of which nothing is known: little enough that a hundred hanging ones leave room for the others. */
export const initialLimit = 4;
const maximumLimit = 128;
/** What was learned of a webhook is forgotten when it has been quiet for so long. */
const memoryMs = 5_000;

type Entry = { underWay: number; limit: number; isSaturated: boolean; usedAtMs: number };

/**
 * How many deliveries each webhook may have under way in this process. One that answers well gets more with every
 * success, one that fails gets a single one until it succeeds again.
 */
export function createAllowances() {
  const entries = new Map<string, Entry>();

  /** How many more each webhook may take, for those that do not stand at the initial limit. */
  function remaining(): Map<string, number> {
    const now = performance.now();
    const result = new Map<string, number>();
    for (const [webhookId, entry] of entries) {
      if (entry.underWay === 0 && now - entry.usedAtMs > memoryMs) entries.delete(webhookId);
      else result.set(webhookId, Math.max(0, entry.limit - entry.underWay));
    }
    return result;
  }

  function take(webhookId: string): void {
    const entry = entries.get(webhookId) ?? { underWay: 0, limit: initialLimit, isSaturated: false, usedAtMs: 0 };
    entries.set(webhookId, entry);
    entry.underWay++;
    entry.usedAtMs = performance.now();
    // Perhaps more was due than it was allowed.
    if (entry.underWay >= entry.limit) entry.isSaturated = true;
  }

  /** @returns whether it is worth claiming again now, rather than for each delivery that ends. */
  function release(webhookId: string, isSuccess: boolean): boolean {
    const entry = entries.get(webhookId);
    if (!entry) return false;
    entry.underWay--;
    entry.limit = isSuccess ? Math.min(entry.limit + 1, maximumLimit) : 1;
    const isWorthClaiming = entry.isSaturated && entry.underWay <= entry.limit / 2;
    if (isWorthClaiming) entry.isSaturated = false;
    return isWorthClaiming;
  }

  return { remaining, take, release };
}
