/** A deadline may be noticed this much too late. */
const tickMs = 50;

/** Something that expires unless it is removed in time. */
export type Expiring = { readonly expiresAtMs: number; expire: () => void };

const waiting = new Set<Expiring>();
let ticker: NodeJS.Timeout | undefined;

/**
 * Calls `expire` once `performance.now()` has passed `expiresAtMs`. All deadlines share one timer:
 * creating and clearing a timer for each of thousands of requests a second costs more than checking
 * the few hundred that wait.
 */
export function addDeadline(expiring: Expiring): void {
  waiting.add(expiring);
  ticker ??= setInterval(tick, tickMs);
}

export function removeDeadline(expiring: Expiring): void {
  waiting.delete(expiring);
}

function tick(): void {
  const now = performance.now();
  for (const { expiresAtMs } of waiting) {
    if (expiresAtMs > now) continue;
    // Checked after the sockets were read, so that a response that arrived while this process was
    // busy still counts.
    setImmediate(expireOverdue, now);
    break;
  }
  if (waiting.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}

function expireOverdue(now: number): void {
  for (const expiring of waiting) {
    if (expiring.expiresAtMs > now) continue;
    waiting.delete(expiring);
    expiring.expire();
  }
}
