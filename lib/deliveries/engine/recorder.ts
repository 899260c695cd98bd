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
const maximumBatch = 80;
/** How many replies are posted at the same time. A locked conversation delays those behind it. */
const repliesAtOnce = 4;
const retryMs = 200;
const deadlock = "40P01";

type Recorded = RecordedAttempt | null;
type Entry = { attempt: EndedAttempt; resolve: (recorded: Recorded) => void };

type RecorderOptions = {
  /** Called after each statement, when `size` no longer counts its attempts. */
  onRecorded?: () => void;
  /** Called with deliveries that waited for others of their lanes, and are now due. */
  onDue?: (deliveries: DeliveryReference[]) => void;
};

/**
 * Collects attempts that have ended and writes them together, in the order in which they ended. One
 * statement runs at a time; attempts that end meanwhile share the next one. Attempts that post a
 * reply may wait for a conversation's lock, so each has a statement of its own, and a few of these
 * run in parallel with the others.
 */
export function createRecorder({ onRecorded = () => {}, onDue = () => {} }: RecorderOptions = {}) {
  const disabling = new Set<Promise<void>>();
  const plain = createQueue(maximumBatch, finishBatch);
  const replies = Array.from({ length: repliesAtOnce }, () => createQueue(1, finishBatch));
  const queues = [plain, ...replies];

  /**
   * Resolves once the attempt is in the database. Resolves with null if another worker has taken
   * the lease over, or the attempt could not be recorded.
   */
  function record(attempt: EndedAttempt): Promise<Recorded> {
    return new Promise((resolve) => {
      const queue = postsReply(attempt) ? shortestOf(replies) : plain;
      queue.add({ attempt, resolve });
    });
  }

  async function finishBatch(batch: Entry[], recorded: Recorded[]): Promise<void> {
    onRecorded();
    const due = await releaseLanes(attemptsOf(batch), recorded);
    if (due.length > 0) onDue(due);
    // Not awaited, because disabling a webhook with a large backlog is slow.
    const disabled = disable(batch, recorded).finally(() => disabling.delete(disabled));
    disabling.add(disabled);
  }

  async function flush(): Promise<void> {
    await Promise.all(queues.map((queue) => queue.flush()));
    await Promise.all(disabling);
  }

  /** How many attempts have ended and are not in the database yet. */
  const size = () => queues.reduce((total, queue) => total + queue.size(), 0);

  return { record, flush, size };
}

function createQueue(
  maximum: number,
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
      await finish(batch, recorded);
    }
    draining = null;
  }

  return {
    add: (entry: Entry) => {
      waiting.push(entry);
      draining ??= drain();
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

const attemptsOf = (batch: Entry[]) => batch.map(({ attempt }) => attempt);

async function write(batch: Entry[]): Promise<Recorded[]> {
  const recorded = await recordPersistently(attemptsOf(batch));
  for (const [index, { resolve }] of batch.entries()) resolve(recorded[index] ?? null);
  return recorded;
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

/**
 * Retries while the leases last. After that, the deliveries are due again: they are sent twice
 * rather than lost.
 */
export async function recordPersistently(
  attempts: EndedAttempt[],
  now: Date | null = null,
): Promise<Recorded[]> {
  const newestClaimMs = Math.max(...attempts.map(({ delivery }) => delivery.claimedAtMs));
  for (;;) {
    try {
      return await recordAttempts(attempts, now);
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
