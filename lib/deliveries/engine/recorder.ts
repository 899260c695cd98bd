import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryReference } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { createLimit } from "@/lib/platform/limit";
import { logOf } from "@/lib/platform/log";
import { isDatabaseUnavailable, sqlState } from "@/lib/platform/sql-errors";
import { leaseSeconds } from "./claim";
import { disableIfFailing } from "./disable-if-failing";
import { type EndedAttempt, postsReply, type RecordedAttempt, recordAttempts } from "./record";
import { releaseLanes } from "./release-lanes";

const log = logOf("deliveries");

const collectMs = 2;
const maximumBatch = 80;
/** How many replies are posted at the same time. A locked conversation delays those behind it. */
const repliesAtOnce = 4;
/** How many webhooks wait for a locked row at the same time, each with a connection. */
const waitsAtOnce = 3;
const retryMs = 200;
const deadlock = "40P01";
const lockNotAvailable = "55P03";

type Recorded = RecordedAttempt | null;
type Entry = { attempt: EndedAttempt; resolve: (recorded: Recorded) => void };

type RecorderOptions = {
  /** Called after each statement, when `size` no longer counts its attempts. */
  onRecorded?: () => void;
  /** Called with deliveries that waited for others of their lanes, and are now due. */
  onDue?: (deliveries: DeliveryReference[]) => void;
  /** Called when attempts of a webhook begin to wait for a row that is locked, and when they end. */
  onBlocked?: (webhookId: string, isBlocked: boolean) => void;
};

/**
 * Collects attempts that have ended and writes them together, in the order in which they ended. One
 * statement runs at a time; attempts that end meanwhile share the next one. Attempts that post a
 * reply may wait for a conversation's lock, so each has a statement of its own, and a few of these
 * run in parallel with the others. If a statement has to wait for a locked row, most often a webhook
 * that is being changed, the attempts of each of its webhooks continue in a queue of their own.
 */
export function createRecorder({
  onRecorded = () => {},
  onDue = () => {},
  onBlocked = () => {},
}: RecorderOptions = {}) {
  const disabling = new Set<Promise<void>>();
  const plain = createQueue(maximumBatch, recordOrPutAside, finishBatch);
  const replies = Array.from({ length: repliesAtOnce }, () =>
    createQueue(1, (batch) => recordPersistently(attemptsOf(batch)), finishBatch),
  );
  const blocked = new Map<string, Queue>();
  const inTurn = createLimit(() => waitsAtOnce);

  /**
   * Resolves once the attempt is in the database. Resolves with null if another worker has taken
   * the lease over, or the attempt could not be recorded.
   */
  function record(attempt: EndedAttempt): Promise<Recorded> {
    return new Promise((resolve) => {
      const entry = { attempt, resolve };
      const queue = blocked.get(attempt.delivery.webhookId) ?? plain;
      (postsReply(attempt) ? shortestOf(replies) : queue).add(entry);
    });
  }

  async function recordOrPutAside(batch: Entry[]): Promise<Recorded[] | null> {
    const attempts = attemptsOf(batch);
    const recorded = await persistently(attempts, async () => {
      try {
        return await recordAttempts(attempts, null, databaseWaits.sharedLock);
      } catch (error) {
        if (sqlState(error) === lockNotAvailable) return null;
        throw error;
      }
    });
    if (recorded === null) {
      batch.forEach(putAside);
      plain.remove(({ attempt }) => blocked.has(attempt.delivery.webhookId)).forEach(putAside);
    }
    return recorded;
  }

  function putAside(entry: Entry): void {
    const { webhookId } = entry.attempt.delivery;
    const queue = blocked.get(webhookId) ?? block(webhookId);
    queue.add(entry);
  }

  function block(webhookId: string): Queue {
    const queue = createQueue(maximumBatch, recordInTurn, (batch, recorded) => {
      if (queue.size() === 0) {
        blocked.delete(webhookId);
        onBlocked(webhookId, false);
      }
      return finishBatch(batch, recorded);
    });
    blocked.set(webhookId, queue);
    onBlocked(webhookId, true);
    return queue;
  }

  const recordInTurn = (batch: Entry[]): Promise<Recorded[]> => {
    const attempts = attemptsOf(batch);
    return persistently(attempts, () =>
      inTurn(() => recordAttempts(attempts, null, databaseWaits.sharedLock)),
    );
  };

  async function finishBatch(batch: Entry[], recorded: Recorded[]): Promise<void> {
    onRecorded();
    const due = await releaseLanes(attemptsOf(batch), recorded);
    if (due.length > 0) onDue(due);
    // Not awaited, because disabling a webhook with a large backlog is slow.
    const disabled = disable(batch, recorded).finally(() => disabling.delete(disabled));
    disabling.add(disabled);
  }

  async function flush(): Promise<void> {
    await Promise.all([plain, ...replies].map((queue) => queue.flush()));
    await Promise.all([...blocked.values()].map((queue) => queue.flush()));
    await Promise.all(disabling);
  }

  /**
   * How many attempts have ended and are not in the database yet, without those whose webhook is
   * locked.
   */
  const size = () => sizeOf([plain, ...replies]);
  const blockedSize = () => sizeOf([...blocked.values()]);

  return { record, flush, size, blockedSize };
}

/** @param write returns null if it put the batch into other queues */
function createQueue(
  maximum: number,
  write: (batch: Entry[]) => Promise<Recorded[] | null>,
  finish: (batch: Entry[], recorded: Recorded[]) => Promise<void>,
) {
  let waiting: Entry[] = [];
  let inProgress = 0;
  let draining: Promise<void> | null = null;

  async function drain(): Promise<void> {
    await sleep(collectMs);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maximum);
      waiting = waiting.slice(maximum);
      inProgress = batch.length;
      const recorded = await write(batch);
      inProgress = 0;
      if (!recorded) continue;
      for (const [index, { resolve }] of batch.entries()) resolve(recorded[index] ?? null);
      await finish(batch, recorded);
    }
    draining = null;
  }

  return {
    add: (entry: Entry) => {
      waiting.push(entry);
      draining ??= drain();
    },
    /** Takes out those of the waiting entries. */
    remove: (isWanted: (entry: Entry) => boolean): Entry[] => {
      const removed = waiting.filter(isWanted);
      waiting = waiting.filter((entry) => !isWanted(entry));
      return removed;
    },
    flush: async () => {
      while (draining) await draining;
    },
    size: () => waiting.length + inProgress,
  };
}

type Queue = ReturnType<typeof createQueue>;

const shortestOf = (queues: Queue[]): Queue =>
  queues.reduce((shortest, queue) => (queue.size() < shortest.size() ? queue : shortest));

const sizeOf = (queues: Queue[]): number =>
  queues.reduce((total, queue) => total + queue.size(), 0);

const attemptsOf = (batch: Entry[]) => batch.map(({ attempt }) => attempt);

async function disable(batch: Entry[], recorded: Recorded[]): Promise<void> {
  try {
    await disableIfFailing(attemptsOf(batch), recorded);
  } catch (error) {
    log.warn(
      { error: (error as Error).message },
      "a webhook could not be disabled yet; the sweep will disable it",
    );
  }
}

export const recordPersistently = (
  attempts: EndedAttempt[],
  now: Date | null = null,
): Promise<Recorded[]> => persistently(attempts, () => recordAttempts(attempts, now));

/**
 * Retries while the leases last. After that, the deliveries are due again: they are sent twice
 * rather than lost.
 */
async function persistently<Result>(
  attempts: EndedAttempt[],
  record: () => Promise<Result>,
): Promise<Result | Recorded[]> {
  const newestClaimMs = Math.max(...attempts.map(({ delivery }) => delivery.claimedAtMs));
  for (;;) {
    try {
      return await record();
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
