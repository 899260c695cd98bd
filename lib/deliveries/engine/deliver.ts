import { setTimeout as sleep } from "node:timers/promises";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { deadlineMs } from "@/lib/platform/outbound-http/outbound-request";
import { now } from "@/lib/platform/time";
import {
  type ClaimedDelivery,
  claimDeliveries,
  claimRequested,
  leaseSeconds,
  startOfScan,
} from "./claim";
import { isSuccess } from "./record";
import { createRecorder } from "./recorder";
import { sendDelivery } from "./send-delivery";
import { createAllowances } from "./webhook-concurrency";

const batchSize = 100;
const defaultPollMs = 1_000;
/** Attempts that users request are few. Polling for them separately keeps the other claims fast. */
const requestedPollMs = 500;
const requestedBatchSize = 20;
const pauseAfterErrorMs = 250;

/**
 * An attempt must start within this time of its claim. If a stopped or starved process started it
 * later, its lease could end before the response arrives, and another worker could send it too.
 */
const latestStartMs = leaseSeconds * 1000 - deadlineMs - 5_000;

export type DeliverOptions = {
  /**
   * Takes only deliveries that are overdue by this much. Used with Inngest, which sends the rest.
   */
  overdueSeconds?: number;
  /** The maximum number in flight; defaults to the environment's settings. */
  concurrency?: number;
  concurrencyPerWebhook?: number;
  /** How long it waits before it checks again without being woken. */
  pollMs?: number;
};

/**
 * Sends due deliveries until it is stopped. Polls once a second, and immediately when it is woken
 * or could not take everything. Any number of these can run, in one process or several.
 */
export function startDelivering({
  overdueSeconds = 0,
  concurrency = env().DELIVERY_CONCURRENCY,
  concurrencyPerWebhook = env().DELIVERY_CONCURRENCY_PER_WEBHOOK,
  pollMs = defaultPollMs,
}: DeliverOptions = {}) {
  const recorder = createRecorder();
  const allowances = createAllowances(concurrencyPerWebhook);
  const inFlight = new Set<Promise<void>>();
  let cursor = startOfScan;
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
      const limit = Math.min(requestedBatchSize, concurrency - inFlight.size);
      try {
        for (const delivery of limit > 0 ? await claimRequested({ limit, overdueSeconds }) : [])
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

  /** @returns whether there may be more to claim immediately. */
  async function claimAndSend(): Promise<boolean> {
    const limit = Math.min(batchSize, concurrency - inFlight.size);
    if (limit <= 0) return false;
    const allowed = allowances.remaining();
    const claim = await claimDeliveries({
      limit,
      cursor,
      allowances: allowed,
      defaultAllowance: allowances.initialLimit,
      overdueSeconds,
    });
    cursor = claim.cursor;

    const taken = new Map<string, number>();
    for (const delivery of claim.deliveries) {
      taken.set(delivery.webhookId, (taken.get(delivery.webhookId) ?? 0) + 1);
      start(delivery);
    }
    const hasRoom = allowances.noteSaturation(allowed, taken);
    // If fewer deliveries than the initial limit came back, no webhook reached it. Webhooks that
    // reached another limit call `wake` when they have room.
    return hasRoom || !claim.isScanComplete || claim.deliveries.length >= allowances.initialLimit;
  }

  function start(delivery: ClaimedDelivery): void {
    allowances.take(delivery.webhookId);
    const sending = send(delivery)
      .catch((error: Error) => {
        log.error({ error: error.message, delivery: delivery.id }, "a delivery could not be sent");
        return false;
      })
      .then((hasSucceeded) => {
        const wasFull = inFlight.size >= concurrency;
        inFlight.delete(sending);
        if (allowances.release(delivery.webhookId, hasSucceeded) || wasFull) wake();
      });
    inFlight.add(sending);
  }

  async function send(delivery: ClaimedDelivery): Promise<boolean> {
    if (performance.now() - delivery.claimedAtMs > latestStartMs) return false;
    const startedAt = now();
    const result = await sendDelivery(delivery, startedAt);
    if (!result) allowances.pause(delivery.webhookId, leaseSeconds * 1_000);
    if (!result || isAbandoned) return false;
    const recording = recorder.record({ delivery, result, startedAt, trigger: delivery.trigger });
    if (isSuccess(result)) return true;
    // A failed delivery holds its slot until its failure is recorded.
    await recording;
    return false;
  }

  const running = Promise.all([run(), runRequested()]);

  /**
   * Stops claiming, and waits for deliveries in flight. Those that take longer than `graceMs` are
   * sent again after their lease.
   */
  async function stop(graceMs = deadlineMs): Promise<void> {
    isStopping = true;
    stopping.abort();
    wake();
    await running;
    await Promise.race([Promise.all(inFlight), sleep(graceMs, undefined, { ref: false })]);
    isAbandoned = true;
    await recorder.flush();
  }

  return { wake, stop };
}
