import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryReference } from "@/lib/platform/caller";
import { hasFreeConnection } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import { deadlineMs } from "@/lib/platform/outbound-http/outbound-request";
import { now } from "@/lib/platform/time";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import { warnOfFailure } from "@/lib/platform/warn-of-failure";
import {
  type Backlog,
  type ClaimedDelivery,
  claimDeliveries,
  claimMore,
  claimNamed,
  claimOne,
  claimRequested,
  leaseSeconds,
  mayStart,
  startOfScan,
} from "./claim";
import { endedAttempt, isSuccess } from "./record";
import { createRecorder } from "./recorder";
import { giveBack } from "./release-leases";
import { sendDelivery } from "./send-delivery";
import { createAllowances } from "./webhook-concurrency";

const log = logOf("deliveries");

/**
 * The maximum number of attempts that are sent but not yet recorded. After a crash, they are sent
 * again.
 */
const maximumUnrecorded = 160;
/**
 * Attempts of webhooks with a limit per second start immediately while fewer than this are unrecorded.
 * Their claim has used up a part of the limit, so they do not wait for results of other webhooks.
 */
const maximumPacedUnrecorded = 16;
/**
 * An attempt that takes longer than this is still waiting for its receiver, so it no longer counts
 * as unrecorded.
 */
const quickMs = 50;
/**
 * The maximum number of claimed deliveries, not counting those in flight. They are there so that
 * the next claim runs while these are sent.
 */
const maximumClaimed = 128;
/** If there is room for fewer than this, the next claim waits until some were sent. */
const smallestBatch = 64;
/**
 * With a backlog, claims continue where the last one ended for this long, which takes PostgreSQL
 * less time. Then one looks at everything again, so no other webhook waits longer than this.
 */
const continueMs = 50;
const defaultPollMs = 1_000;
/** Users request few attempts. Polling for them separately keeps the other claims fast. */
const requestedPollMs = 500;
const requestedBatchSize = 20;
const pauseAfterErrorMs = 250;
/**
 * The minimum pause before a claim for webhooks with a limit per second, or whose rows were locked, so
 * that many of them share one.
 */
const shortestAgainMs = 10;

/**
 * A claimed delivery that has waited longer than this is claimed again instead of being sent, because
 * its webhook may have been deleted or changed, or its content redacted.
 */
const longestQueuedMs = 2_000;
/** With a limit per second, those of many claims would start together. */
const longestPacedMs = 50;

export type DeliverOptions = {
  /**
   * Takes only deliveries that are overdue by this much. Used with Inngest, which sends the rest.
   * Called before each claim.
   */
  overdueSeconds?: () => number;
  /** The maximum number in flight; defaults to the environment's settings. */
  concurrency?: number;
  concurrencyPerWebhook?: number;
  /** How long it waits before it checks again without being woken. */
  pollMs?: number;
};

/** `sinceMs` is from `performance.now()`. */
type Queued = { delivery: ClaimedDelivery; sinceMs: number };

type InFlight = { startedAtMs: number; ended: Promise<void> };

const isStale = ({ delivery, sinceMs }: Queued): boolean =>
  performance.now() - sinceMs > (delivery.isPaced ? longestPacedMs : longestQueuedMs) ||
  !mayStart(delivery);

/**
 * Sends due deliveries until it is stopped. Polls once a second, and immediately when it is woken
 * or could not take everything. Any number of these can run, in one process or several.
 */
export function startDelivering({
  overdueSeconds = () => 0,
  concurrency = env().DELIVERY_CONCURRENCY,
  concurrencyPerWebhook = env().DELIVERY_CONCURRENCY_PER_WEBHOOK,
  pollMs = defaultPollMs,
}: DeliverOptions = {}) {
  const recorder = createRecorder({
    onRecorded: () => {
      startClaimed();
      if (hasEnough && maximumClaimed - claimed.length >= smallestBatch) wake();
    },
    // Next to Inngest, this process takes only what is overdue.
    onDue: (deliveries) => (overdueSeconds() > 0 ? wakeDeliveries(deliveries) : wake()),
    // Its attempts do not count as unrecorded, so it gets no more deliveries meanwhile.
    onBlocked: (webhookId, isBlocked) => {
      allowances.block(webhookId, isBlocked);
      if (!isBlocked) wake();
    },
  });
  const allowances = createAllowances(concurrencyPerWebhook);
  const inFlight = new Set<InFlight>();
  /** Attempts of webhooks with a limit per second, in flight or not recorded yet. */
  const pacedUnrecorded = new Set<ClaimedDelivery>();
  /** In the order in which they start. Their leases and allowances are taken. */
  let claimed: Queued[] = [];
  let cursor = startOfScan;
  let backlogs: Backlog[] = [];
  let continuesUntilMs = 0;
  let isStopping = false;
  let isAbandoned = false;
  let isWoken = false;
  let hasEnough = false;
  /** What notifications named while nothing else was known to be due. */
  let named: DeliveryReference[] = [];
  let claimingNamed: Promise<void> | null = null;
  let claimingOne: Promise<void> | null = null;
  let endPause: (() => void) | null = null;
  let againTimer: NodeJS.Timeout | undefined;
  let againAtMs = 0;
  const stopping = new AbortController();

  /** @param deliveries those that are due; left out if there may be others */
  function wake(deliveries: DeliveryReference[] = []): void {
    // While nothing else is known to be due, looking these up by their keys takes less time.
    const isNothingElseDue = endPause && !isWoken && !isStopping;
    const [first, second] = deliveries;
    if (!first || !isNothingElseDue) {
      isWoken = true;
      endPause?.();
      return;
    }
    const isIdle = !claimingOne && !claimingNamed && inUse() === 0 && recorder.blockedSize() === 0;
    // A claim of one may wait for its row, so it runs on the pool.
    if (!second && isIdle && hasFreeConnection()) {
      claimingOne = claimAndSendOne(first).finally(() => {
        claimingOne = null;
      });
      return;
    }
    named.push(...deliveries);
    claimingNamed ??= claimAndSendNamed().finally(() => {
      claimingNamed = null;
    });
  }

  async function claimAndSendOne(reference: DeliveryReference): Promise<void> {
    try {
      const { delivery, againMs } = await claimOne(reference);
      if (delivery) take(delivery);
      if (againMs !== null) wakeIn(againMs);
    } catch (error) {
      warnOfFailure(log, error, {}, "a delivery could not be claimed");
      wake();
    }
  }

  async function claimAndSendNamed(): Promise<void> {
    try {
      while (named.length > 0 && !isStopping)
        await claimAndSendSome(named.splice(0, smallestBatch));
    } catch (error) {
      named = [];
      warnOfFailure(log, error, {}, "deliveries could not be claimed");
      wake();
    }
  }

  async function claimAndSendSome(references: DeliveryReference[]): Promise<void> {
    // A claim of everything gives what little room there is to the right webhooks.
    if (Math.min(maximumClaimed - claimed.length, concurrency - inUse()) < smallestBatch) {
      named = [];
      wake();
      return;
    }
    const allowed = allowances.remainingForNamed();
    const { deliveries, others } = await claimNamed(references, {
      allowances: allowed,
      defaultAllowance: allowances.initialLimit,
    });
    const hasRoom = allowances.noteSaturation(allowed, addClaimed(deliveries));
    if (hasRoom || others > 0 || claimed.length > 0) wake();
    // Another worker may have locked and left them, or their webhook may have older ones.
    else if (deliveries.length < references.length) wakeIn(shortestAgainMs);
  }

  /**
   * For deliveries that wait because of a limit per second, or because their webhook was locked, or
   * that a claim of named ones left.
   */
  function wakeIn(milliseconds: number): void {
    const atMs = performance.now() + Math.max(milliseconds, shortestAgainMs);
    if (againTimer && againAtMs <= atMs) return;
    clearTimeout(againTimer);
    againAtMs = atMs;
    againTimer = setTimeout(() => {
      againTimer = undefined;
      wake();
    }, atMs - performance.now());
  }

  async function pause(milliseconds: number): Promise<void> {
    if (isWoken || isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    endPause = null;
  }

  async function runRequested(): Promise<void> {
    while (!isStopping) {
      const limit = Math.min(requestedBatchSize, concurrency - inUse());
      let pauseMs = requestedPollMs;
      try {
        if (limit > 0) {
          const claim = await claimRequested({ limit, overdueSeconds: overdueSeconds() });
          for (const delivery of claim.deliveries) take(delivery);
          if (claim.againMs !== null)
            pauseMs = Math.min(pauseMs, Math.max(claim.againMs, shortestAgainMs));
        }
      } catch (error) {
        warnOfFailure(log, error, {}, "requested attempts could not be claimed");
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      await claimingNamed;
      if (isStopping) break;
      isWoken = false;
      try {
        startClaimed();
        if (!(await claimAndSend())) await pause(claimed.length > 0 ? quickMs : pollMs);
      } catch (error) {
        warnOfFailure(log, error, {}, "deliveries could not be claimed");
        await sleep(pauseAfterErrorMs);
      }
    }
  }

  /** @returns whether there may be more to claim immediately. */
  async function claimAndSend(): Promise<boolean> {
    const room = maximumClaimed - claimed.length;
    hasEnough = room < smallestBatch;
    const limit = Math.min(room, concurrency - inUse());
    if (hasEnough || limit <= 0) return false;
    const allowed = allowances.remaining();
    // While nearly all slots are in use, a full claim gives the free ones to the webhooks with the
    // fewest in flight. Next to Inngest, little is overdue, so there is nothing to continue.
    const mayContinue = limit === room && overdueSeconds() === 0;
    if (mayContinue && backlogs.length > 0 && performance.now() < continuesUntilMs) {
      await claimMoreAndSend(limit, allowed);
      return true;
    }
    const claim = await claimDeliveries({
      limit,
      cursor,
      allowances: allowed,
      defaultAllowance: allowances.initialLimit,
      inFlight: allowances.inFlight(),
      overdueSeconds: overdueSeconds(),
    });
    cursor = claim.cursor;
    const taken = addClaimed(claim.deliveries);
    backlogs = claim.backlogs.length === taken.size ? claim.backlogs : [];
    continuesUntilMs = performance.now() + continueMs;
    const hasRoom = allowances.noteSaturation(allowed, taken);
    if (claim.againMs !== null) wakeIn(claim.againMs);
    // If fewer deliveries than the initial limit came back, no webhook reached it. Webhooks that
    // reached another limit call `wake` when they have room.
    return (
      hasRoom ||
      claim.parked > 0 ||
      !claim.isScanComplete ||
      claim.deliveries.length >= allowances.initialLimit
    );
  }

  /** If a webhook has less than its share, the next claim looks at everything. */
  async function claimMoreAndSend(limit: number, allowed: Map<string, number>): Promise<void> {
    const from = backlogs.slice(0, limit);
    backlogs = [];
    const share = Math.floor(limit / from.length);
    const claim = await claimMore(
      from,
      from.map(({ webhookId }) =>
        Math.min(share, allowed.get(webhookId) ?? allowances.initialLimit),
      ),
    );
    if (claim.backlogs.length === from.length) backlogs = claim.backlogs;
    allowances.noteSaturation(allowed, addClaimed(claim.deliveries));
  }

  /** @returns how many of each webhook */
  function addClaimed(deliveries: ClaimedDelivery[]): Map<string, number> {
    const taken = new Map<string, number>();
    const sinceMs = performance.now();
    for (const delivery of deliveries) {
      taken.set(delivery.webhookId, (taken.get(delivery.webhookId) ?? 0) + 1);
      allowances.take(delivery.webhookId);
      const hasOwnRoom = delivery.isPaced && pacedUnrecorded.size < maximumPacedUnrecorded;
      if (hasOwnRoom && mayStart(delivery)) start(delivery);
      else claimed.push({ delivery, sinceMs });
    }
    startClaimed();
    return taken;
  }

  function take(delivery: ClaimedDelivery): void {
    allowances.take(delivery.webhookId);
    if (mayStart(delivery)) start(delivery);
    else void putBack([delivery]);
  }

  function startClaimed(): void {
    if (claimed.length === 0 || isAbandoned) return;
    const stale = claimed.filter(isStale);
    if (stale.length > 0) {
      claimed = claimed.filter((queued) => !stale.includes(queued));
      void putBack(stale.map(({ delivery }) => delivery));
    }
    const started = claimed.splice(0, Math.max(0, roomForUnrecorded()));
    for (const { delivery } of started) start(delivery);
  }

  /** If they cannot be given back now, they are claimed again when their leases end. */
  async function putBack(deliveries: ClaimedDelivery[]): Promise<void> {
    for (const { webhookId } of deliveries) allowances.release(webhookId, null);
    await giveBack(deliveries).catch((error) =>
      warnOfFailure(
        log,
        error,
        { deliveries: deliveries.length },
        "claims could not be given back",
      ),
    );
    wake();
  }

  function start(delivery: ClaimedDelivery): void {
    if (delivery.isPaced) pacedUnrecorded.add(delivery);
    const ended = send(delivery)
      .catch((error: Error) => {
        pacedUnrecorded.delete(delivery);
        log.error({ error: error.message, delivery: delivery.id }, "a delivery could not be sent");
        return false;
      })
      .then((hasSucceeded) => {
        const wasFull = inUse() >= concurrency;
        inFlight.delete(attempt);
        if (allowances.release(delivery.webhookId, hasSucceeded) || wasFull) wake();
      });
    const attempt = { startedAtMs: performance.now(), ended };
    inFlight.add(attempt);
  }

  const inUse = () => inFlight.size + claimed.length;

  /** How many more attempts may be in flight without too many unrecorded results. */
  function roomForUnrecorded(): number {
    const quickSinceMs = performance.now() - quickMs;
    let unrecorded = recorder.size();
    for (const { startedAtMs } of inFlight) if (startedAtMs > quickSinceMs) unrecorded++;
    return maximumUnrecorded - unrecorded;
  }

  async function send(delivery: ClaimedDelivery): Promise<boolean> {
    const startedAt = now();
    const result = await sendDelivery(delivery, startedAt);
    if (!result) allowances.pause(delivery.webhookId, leaseSeconds * 1_000);
    if (!result || isAbandoned) {
      pacedUnrecorded.delete(delivery);
      return false;
    }
    const recording = recorder.record(endedAttempt(delivery, result, startedAt));
    if (delivery.isPaced) void recording.finally(() => pacedUnrecorded.delete(delivery));
    if (isSuccess(result)) return true;
    // A failed delivery holds its slot until its failure is recorded.
    await recording;
    return false;
  }

  const running = Promise.all([run(), runRequested()]);

  /**
   * Stops claiming, and waits up to `graceMs` for what is claimed or in flight. What is still in flight
   * is sent again after its lease ends.
   */
  async function stop(graceMs = deadlineMs): Promise<void> {
    isStopping = true;
    stopping.abort();
    clearTimeout(againTimer);
    wake();
    await running;
    await Promise.all([claimingNamed, claimingOne]);
    await Promise.race([finish(), sleep(graceMs, undefined, { ref: false })]);
    isAbandoned = true;
    const unsent = claimed.splice(0).map(({ delivery }) => delivery);
    if (unsent.length > 0) await giveBack(unsent).catch(() => {});
    await recorder.flush();
  }

  async function finish(): Promise<void> {
    for (startClaimed(); claimed.length > 0 && !isAbandoned; startClaimed()) await sleep(quickMs);
    await Promise.all([...inFlight].map((attempt) => attempt.ended));
  }

  /** How many attempts are in flight, and how many have ended and are not recorded yet. */
  const state = () => ({
    inFlight: inFlight.size,
    unrecorded: recorder.size() + recorder.blockedSize(),
  });

  return { wake, stop, state };
}
