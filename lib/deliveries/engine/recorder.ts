import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryReference } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { deliveryPool, hasFreeConnection, pool } from "@/lib/platform/db";
import { createLimit } from "@/lib/platform/limit";
import { logOf } from "@/lib/platform/log";
import { isDatabaseUnavailable, isLockTimeout } from "@/lib/platform/sql-errors";
import { leaseSeconds } from "./claim";
import { disableIfFailing } from "./disable-if-failing";
import { type EndedAttempt, postsReply, type RecordedAttempt, recordAttempts } from "./record";
import { releaseLanes } from "./release-lanes";

const log = logOf("deliveries");

const collectMs = 2;
const maximumBatch = 80;
/** How many replies are posted at the same time. */
const repliesAtOnce = 4;
/** How many webhooks wait for a locked row at the same time, each with a connection. */
const waitsAtOnce = 3;
const retryMs = 200;
/** How long `flush` waits for attempts whose rows are locked. */
const blockedGraceMs = 1_000;

type Pool = ReturnType<typeof pool>;
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
 * reply have a statement of their own, and a few of these run in parallel with the others.
 *
 * If a statement has to wait for a locked row, most often a webhook that is being changed, the
 * attempts of each of its webhooks continue in a queue of their own, and so does a reply to a
 * conversation that is locked. They hold up no other webhook.
 */
export function createRecorder({
  onRecorded = () => {},
  onDue = () => {},
  onBlocked = () => {},
}: RecorderOptions = {}) {
  const disabling = new Set<Promise<void>>();
  const plain = usualQueue(deliveryPool);
  // Replies take the connections for deliveries only while jobs use up the pool.
  const replies = Array.from({ length: repliesAtOnce }, () =>
    usualQueue(() => (hasFreeConnection() ? pool() : deliveryPool())),
  );
  const blocked = new Map<string, Queue>();
  const waits = createLimit(() => waitsAtOnce);

  /**
   * Resolves once the attempt is in the database. Resolves with null if another worker has taken
   * the lease over, or the attempt could not be recorded.
   */
  function record(attempt: EndedAttempt): Promise<Recorded> {
    return new Promise((resolve) => {
      const usual = postsReply(attempt) ? shortestOf(replies) : plain;
      const queue = blocked.get(attempt.delivery.webhookId) ?? usual;
      queue.add([{ attempt, resolve }]);
    });
  }

  function usualQueue(on: typeof pool): Queue {
    return createQueue(
      (batch) => recordOrPutAside(batch, on()),
      (batch, recorded) => finishBatch(batch, recorded, on()),
    );
  }

  async function recordOrPutAside(batch: Entry[], on: Pool): Promise<Recorded[] | null> {
    const attempts = attemptsOf(batch);
    const recorded = await persistently(attempts, () => recordUnlessLocked(attempts, on));
    if (recorded === null) {
      batch.forEach(putAside);
      for (const queue of [plain, ...replies])
        queue.remove(({ attempt }) => blocked.has(attempt.delivery.webhookId)).forEach(putAside);
    }
    return recorded;
  }

  function putAside(entry: Entry): void {
    const { webhookId } = entry.attempt.delivery;
    const queue = blocked.get(webhookId) ?? block(webhookId);
    queue.add([entry]);
  }

  function block(webhookId: string): Queue {
    const queue = createQueue(
      (batch) => recordInTurn(batch, queue),
      async (batch, recorded) => {
        await finishBatch(batch, recorded, pool());
        if (queue.size() > 0) return;
        blocked.delete(webhookId);
        onBlocked(webhookId, false);
      },
    );
    blocked.set(webhookId, queue);
    onBlocked(webhookId, true);
    return queue;
  }

  /** A reply to a conversation that is still locked goes behind the others of its webhook. */
  async function recordInTurn(batch: Entry[], queue: Queue): Promise<Recorded[] | null> {
    const attempts = attemptsOf(batch);
    const record = () => waits.run(() => recordUnlessLocked(attempts, pool()));
    const recorded = await persistently(attempts, record);
    if (recorded !== null) return recorded;
    if (haveExpired(attempts)) return giveUp(attempts, "a row stayed locked");
    queue.add(batch, { isFirst: !attempts.some(postsReply) });
    return null;
  }

  async function finishBatch(batch: Entry[], recorded: Recorded[], on: Pool): Promise<void> {
    onRecorded();
    const due = await releaseLanes(attemptsOf(batch), recorded, on);
    if (due.length > 0) onDue(due);
    // Not awaited, because disabling a webhook with a large backlog is slow.
    const disabled = disable(batch, recorded).finally(() => disabling.delete(disabled));
    disabling.add(disabled);
  }

  /** The deliveries of attempts whose rows stay locked are sent again after their leases end. */
  async function flush(): Promise<void> {
    const flushAll = (queues: Iterable<Queue>) =>
      Promise.all(Array.from(queues, (queue) => queue.flush()));
    await flushAll([plain, ...replies]);
    const grace = sleep(blockedGraceMs, undefined, { ref: false });
    await Promise.race([flushAll(blocked.values()), grace]);
    await Promise.all(disabling);
  }

  /**
   * How many attempts have ended and are not in the database yet, without those whose rows are
   * locked.
   */
  const size = () => sizeOf([plain, ...replies]);
  const blockedSize = () => sizeOf([...blocked.values()]);

  return { record, flush, size, blockedSize };
}

/** @param write returns null if it put the batch into a queue again */
function createQueue(
  write: (batch: Entry[]) => Promise<Recorded[] | null>,
  finish: (batch: Entry[], recorded: Recorded[]) => Promise<void>,
) {
  let waiting: Entry[] = [];
  let inProgress = 0;
  let draining: Promise<void> | null = null;

  /** The next entries: one with a reply, or others. */
  function take(): Entry[] {
    const firstReply = waiting.findIndex(({ attempt }) => postsReply(attempt));
    const count = firstReply < 0 ? maximumBatch : Math.max(1, Math.min(firstReply, maximumBatch));
    return waiting.splice(0, count);
  }

  async function drain(): Promise<void> {
    await sleep(collectMs);
    while (waiting.length > 0) {
      const batch = take();
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
    add: (entries: Entry[], { isFirst = false } = {}): void => {
      if (isFirst) waiting.unshift(...entries);
      else waiting.push(...entries);
      draining ??= drain();
    },
    /** Takes these of the waiting entries out. */
    remove: (isWanted: (entry: Entry) => boolean): Entry[] => {
      const removed = waiting.filter(isWanted);
      waiting = waiting.filter((entry) => !isWanted(entry));
      return removed;
    },
    flush: async (): Promise<void> => {
      while (draining) await draining;
    },
    size: (): number => waiting.length + inProgress,
  };
}

type Queue = ReturnType<typeof createQueue>;

const shortestOf = (queues: Queue[]): Queue =>
  queues.reduce((shortest, queue) => (queue.size() < shortest.size() ? queue : shortest));

const sizeOf = (queues: Queue[]): number =>
  queues.reduce((total, queue) => total + queue.size(), 0);

const attemptsOf = (batch: Entry[]) => batch.map(({ attempt }) => attempt);

/** Null if a row stays locked. */
async function recordUnlessLocked(attempts: EndedAttempt[], on: Pool): Promise<Recorded[] | null> {
  try {
    return await recordAttempts(attempts, null, databaseWaits.sharedLock, on);
  } catch (error) {
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

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

/** Whether all leases have ended. The deliveries are due again: they are sent twice rather than lost. */
function haveExpired(attempts: EndedAttempt[]): boolean {
  const newestClaimMs = Math.max(...attempts.map(({ delivery }) => delivery.claimedAtMs));
  return performance.now() - newestClaimMs > leaseSeconds * 1_000;
}

function giveUp(attempts: EndedAttempt[], reason: string): Recorded[] {
  log.error(
    { error: reason, attempts: attempts.length },
    "attempts could not be recorded and will be repeated",
  );
  return [];
}

/** Retries while the leases last. */
async function persistently<Result>(
  attempts: EndedAttempt[],
  record: () => Promise<Result>,
): Promise<Result | Recorded[]> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || haveExpired(attempts))
        return giveUp(attempts, (error as Error).message);
      await sleep(retryMs);
    }
  }
}
