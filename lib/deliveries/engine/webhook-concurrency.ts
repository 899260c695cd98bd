/**
 * The limit of a webhook without recent deliveries. It is so low that a hundred hanging webhooks
 * leave room for the others.
 */
const cautiousLimit = 4;
/** A webhook's limit is forgotten after the webhook has been idle for this long. */
const memoryMs = 5_000;

type Entry = {
  inFlight: number;
  limit: number;
  isSaturated: boolean;
  usedAtMs: number;
  pausedUntilMs: number;
};

/**
 * How many deliveries each webhook may have in flight in this process. The limit grows with every
 * success, and drops to one after a failure until the next success.
 */
export function createAllowances(maximumLimit: number) {
  const entries = new Map<string, Entry>();
  const blocked = new Set<string>();
  const initialLimit = Math.min(cautiousLimit, maximumLimit);

  /**
   * How many more deliveries each remembered webhook may take now. All others may take the initial
   * limit.
   */
  function remaining(): Map<string, number> {
    const now = performance.now();
    const result = new Map<string, number>();
    for (const [webhookId, entry] of entries) {
      if (isPaused(webhookId, entry)) result.set(webhookId, 0);
      else if (entry.inFlight === 0 && now - entry.usedAtMs > memoryMs) entries.delete(webhookId);
      else result.set(webhookId, Math.max(0, entry.limit - entry.inFlight));
    }
    return result;
  }

  /**
   * The same for a claim of deliveries that have only just become due. A webhook that may have older
   * ones gets none: a claim of everything takes these first.
   */
  function remainingForNamed(): Map<string, number> {
    const result = remaining();
    for (const [webhookId, { isSaturated }] of entries) if (isSaturated) result.set(webhookId, 0);
    return result;
  }

  const inFlight = (): Map<string, number> =>
    new Map(Array.from(entries, ([webhookId, entry]) => [webhookId, entry.inFlight]));

  function take(webhookId: string): void {
    const entry = entries.get(webhookId) ?? {
      inFlight: 0,
      limit: initialLimit,
      isSaturated: false,
      usedAtMs: 0,
      pausedUntilMs: 0,
    };
    entries.set(webhookId, entry);
    entry.inFlight++;
    entry.usedAtMs = performance.now();
  }

  /**
   * Compares what a claim was allowed with what it took: a webhook that took its whole allowance
   * may have more due deliveries.
   * @returns whether a webhook that took its whole allowance already has room again
   */
  function noteSaturation(allowed: Map<string, number>, taken: Map<string, number>): boolean {
    let hasRoom = false;
    for (const [webhookId, allowance] of allowed) {
      const entry = entries.get(webhookId);
      if (!entry || isPaused(webhookId, entry) || (taken.get(webhookId) ?? 0) < allowance) continue;
      entry.isSaturated = !isWorthClaiming(entry);
      hasRoom ||= !entry.isSaturated;
    }
    return hasRoom;
  }

  /**
   * Called when a delivery has ended, or was not sent: `isSuccess` is then null.
   * @returns whether to claim again now: its webhook may have more due deliveries, and at most half
   * of its limit is in use
   */
  function release(webhookId: string, isSuccess: boolean | null): boolean {
    const entry = entries.get(webhookId);
    if (!entry) return false;
    entry.inFlight--;
    if (isSuccess !== null) entry.limit = isSuccess ? Math.min(entry.limit + 1, maximumLimit) : 1;
    if (!entry.isSaturated || !isWorthClaiming(entry)) return false;
    entry.isSaturated = false;
    return true;
  }

  /** Pauses a webhook for a while, because its deliveries could not be sent. */
  function pause(webhookId: string, pauseMs: number): void {
    const entry = entries.get(webhookId);
    if (entry) entry.pausedUntilMs = performance.now() + pauseMs;
  }

  /** While it is blocked, a webhook gets no more deliveries. */
  function block(webhookId: string, isBlocked: boolean): void {
    if (isBlocked) blocked.add(webhookId);
    else blocked.delete(webhookId);
  }

  const isPaused = (webhookId: string, { pausedUntilMs }: Entry): boolean =>
    blocked.has(webhookId) || performance.now() < pausedUntilMs;

  return {
    ...{ initialLimit, remaining, remainingForNamed, inFlight },
    ...{ take, noteSaturation, release, pause, block },
  };
}

/** Whether at most half of the limit is in use, so that one claim brings many deliveries. */
function isWorthClaiming({ inFlight, limit }: Entry): boolean {
  return inFlight <= limit / 2;
}
