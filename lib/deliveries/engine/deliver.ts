import { setTimeout as sleep } from "node:timers/promises";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { deadlineMs } from "@/lib/platform/outbound-http/outbound-request";
import { currentTime } from "@/lib/platform/time";
import {
  type ClaimedDelivery,
  claimDeliveries,
  claimRequested,
  leaseSeconds,
  startOfWalk,
} from "./claim";
import { isSuccess } from "./record";
import { createRecorder } from "./recorder";
import { sendDelivery } from "./send-delivery";
import { createAllowances } from "./webhook-concurrency";

const batchSize = 100;
const defaultPollMs = 1_000;
/**
 * Attempts that a person asked for are few, and looked for apart, so that looking costs the others
 * nothing.
 */
const requestedPollMs = 500;
const requestedBatchSize = 20;
const pauseAfterErrorMs = 250;

/**
 * A claim that lay about for longer, because the process was stopped or starved, might be another's
 * before its answer came.
 */
const latestStartMs = leaseSeconds * 1000 - deadlineMs - 5_000;

export type DeliverOptions = {
  /** Takes only what is overdue by so much: beside Inngest, which sends the rest. */
  overdueSeconds?: number;
  /** At most so many under way; unless given, what the environment says. */
  concurrency?: number;
  concurrencyPerWebhook?: number;
  /** How long it waits without being woken before it checks again. */
  pollMs?: number;
};

/**
 * Sends what is due, until it is stopped. Looks once a second, and at once when it is woken or had
 * to leave something. Any number of these may run, in one process or many.
 */
export function startDelivering({
  overdueSeconds = 0,
  concurrency = env().DELIVERY_CONCURRENCY,
  concurrencyPerWebhook = env().DELIVERY_CONCURRENCY_PER_WEBHOOK,
  pollMs = defaultPollMs,
}: DeliverOptions = {}) {
  const recorder = createRecorder();
  const allowances = createAllowances(concurrencyPerWebhook);
  const underWay = new Set<Promise<void>>();
  let cursor = startOfWalk;
  let isStopping = false;
  let isAbandoned = false;
  let isWoken = false;
  let endPause: (() => void) | null = null;
  const stopping = new AbortController();

  function wake(): void {
    isWoken = true;
    endPause?.();
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
      const limit = Math.min(requestedBatchSize, concurrency - underWay.size);
      try {
        for (const delivery of limit > 0
          ? await claimRequested({ now: currentTime(), limit, overdueSeconds })
          : [])
          start(delivery);
      } catch (error) {
        log.warn({ error: (error as Error).message }, "requested attempts could not be claimed");
      }
      await sleep(requestedPollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false;
      try {
        if (!(await claimAndSend())) await pause(pollMs);
      } catch (error) {
        log.warn({ error: (error as Error).message }, "deliveries could not be claimed");
        await sleep(pauseAfterErrorMs);
      }
    }
  }

  /** @returns whether there may be more to claim at once. */
  async function claimAndSend(): Promise<boolean> {
    const limit = Math.min(batchSize, concurrency - underWay.size);
    if (limit <= 0) return false;
    const allowed = allowances.remaining();
    const claim = await claimDeliveries({
      ...{ now: currentTime(), limit, cursor, overdueSeconds },
      ...{ allowances: allowed, defaultAllowance: allowances.initialLimit },
    });
    cursor = claim.cursor;

    const taken = new Map<string, number>();
    for (const delivery of claim.deliveries) {
      taken.set(delivery.webhookId, (taken.get(delivery.webhookId) ?? 0) + 1);
      start(delivery);
    }
    const hasRoom = allowances.noteSaturation(allowed, taken);
    // Fewer than the initial limit: then nobody was held to it, and whoever is held to another is
    // asked for when it has room.
    return hasRoom || !claim.isRoundComplete || claim.deliveries.length >= allowances.initialLimit;
  }

  function start(delivery: ClaimedDelivery): void {
    allowances.take(delivery.webhookId);
    const sending = send(delivery)
      .catch((error: Error) => {
        log.error({ error: error.message, delivery: delivery.id }, "a delivery could not be sent");
        return false;
      })
      .then((hasSucceeded) => {
        const wasFull = underWay.size >= concurrency;
        underWay.delete(sending);
        if (allowances.release(delivery.webhookId, hasSucceeded) || wasFull) wake();
      });
    underWay.add(sending);
  }

  async function send(delivery: ClaimedDelivery): Promise<boolean> {
    if (performance.now() - delivery.claimedAtMs > latestStartMs) return false;
    const startedAt = currentTime() ?? new Date();
    const result = await sendDelivery(delivery, startedAt);
    if (!result) allowances.pause(delivery.webhookId, leaseSeconds * 1_000);
    if (!result || isAbandoned) return false;
    const recording = recorder.record({ delivery, result, startedAt, trigger: delivery.trigger });
    if (isSuccess(result)) return true;
    // After a failure nothing more goes there before it is counted.
    await recording;
    return false;
  }

  const running = Promise.all([run(), runRequested()]);

  /**
   * Claims nothing more, and waits for what is under way. What takes longer than that is sent again
   * after its lease.
   */
  async function stop(graceMs = deadlineMs): Promise<void> {
    isStopping = true;
    stopping.abort();
    wake();
    await running;
    await Promise.race([Promise.all(underWay), sleep(graceMs, undefined, { ref: false })]);
    isAbandoned = true;
    await recorder.flush();
  }

  return { wake, stop };
}
