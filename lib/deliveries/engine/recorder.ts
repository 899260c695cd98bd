import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryReference } from "@/lib/platform/caller";
import { logOf } from "@/lib/platform/log";
import { isDatabaseUnavailable, sqlState } from "@/lib/platform/sql-errors";
import { leaseSeconds } from "./claim";
import { disableIfFailing } from "./disable-if-failing";
import { type EndedAttempt, postsReply, type RecordedAttempt, recordAttempts } from "./record";
import { releaseLanes } from "./release-lanes";

const log = logOf("deliveries");

const collectMs = 2;
const maximumBatch = 200;
const retryMs = 200;
const deadlock = "40P01";

type Entry = { attempt: EndedAttempt; resolve: (recorded: RecordedAttempt | null) => void };

/**
 * Collects attempts that have ended and writes them together, in the order in which they ended. One
 * statement runs at a time; attempts that end meanwhile share the next one.
 * @param onRecorded called after each statement
 */
export function createRecorder(onRecorded: () => void = () => {}) {
  let waiting: Entry[] = [];
  let inProgress = 0;
  let draining: Promise<void> | null = null;
  const disabling = new Set<Promise<void>>();

  /**
   * Resolves once the attempt is in the database. Resolves with null if another worker has taken
   * the lease over, or the attempt could not be recorded.
   */
  function record(attempt: EndedAttempt): Promise<RecordedAttempt | null> {
    return new Promise((resolve) => {
      waiting.push({ attempt, resolve });
      draining ??= drain();
    });
  }

  async function drain(): Promise<void> {
    await sleep(collectMs);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maximumBatch);
      waiting = waiting.slice(maximumBatch);
      inProgress = batch.length;
      const recorded = await write(batch);
      inProgress = 0;
      onRecorded();
      // Not awaited, because disabling a webhook with a large backlog is slow.
      const disabled = disable(batch, recorded).finally(() => disabling.delete(disabled));
      disabling.add(disabled);
    }
    draining = null;
  }

  async function flush(): Promise<void> {
    while (draining) await draining;
    await Promise.all(disabling);
  }

  /** How many attempts have ended and are not in the database yet. */
  const size = () => waiting.length + inProgress;

  return { record, flush, size };
}

async function write(batch: Entry[]): Promise<(RecordedAttempt | null)[]> {
  const recorded = await recordPersistently(batch.map(({ attempt }) => attempt));
  for (const [index, { resolve }] of batch.entries()) resolve(recorded[index] ?? null);
  return recorded;
}

async function disable(batch: Entry[], recorded: (RecordedAttempt | null)[]): Promise<void> {
  try {
    await disableIfFailing(
      batch.map(({ attempt }) => attempt),
      recorded,
    );
  } catch (error) {
    log.warn(
      { error: (error as Error).message },
      "a webhook could not be disabled yet; the sweep will disable it",
    );
  }
}

/**
 * Retries while the leases last. After that, the deliveries are due again: they are sent twice
 * rather than lost.
 */
async function recordPersistently(attempts: EndedAttempt[]): Promise<(RecordedAttempt | null)[]> {
  const newestClaimMs = Math.max(...attempts.map(({ delivery }) => delivery.claimedAtMs));
  for (;;) {
    try {
      return await recordAttempts(attempts);
    } catch (error) {
      const isWorthRepeating = isDatabaseUnavailable(error) || sqlState(error) === deadlock;
      if (!isWorthRepeating || performance.now() - newestClaimMs > leaseSeconds * 1000) {
        log.error(
          { error: (error as Error).message, attempts: attempts.length },
          "attempts could not be recorded and will be repeated",
        );
        return [];
      }
      await sleep(retryMs);
    }
  }
}
