import type { WebhookReference } from "@/lib/platform/caller";
import { createLimitPerKey } from "@/lib/platform/limit";
import { logOf } from "@/lib/platform/log";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { attemptDelivery } from "./attempt-delivery";
import { stopsAttempting } from "./stop-attempting";

const log = logOf("deliveries");

/** After this time no further attempt starts, so that a call ends within a host's time limit. */
const maximumMs = 20_000;

/** The most requests that this process has in flight to one webhook. */
const concurrencyPerWebhook = 10;
const attempts = createLimitPerKey(() => concurrencyPerWebhook);

export type AttemptedDeliveries = {
  /** Deliveries that must be attempted again, and when (RFC 3339). */
  again: { id: string; retryAt: string }[];
  /** The ids of deliveries that were not attempted: time ran out, or the process is stopping. */
  left: string[];
};

/**
 * Attempts these deliveries of one webhook. All calls in this process share the maximum number of
 * requests in flight to the webhook. Can be repeated safely. If an attempt causes an error, it is
 * logged, and the other deliveries continue. The delivery is woken again when it is overdue.
 * @throws once everything in flight has ended, if the database is unavailable, or if the process
 * was stopping when it was called
 */
export async function attemptDeliveries(
  { tenantId, environment, webhookId }: WebhookReference,
  ids: string[],
): Promise<AttemptedDeliveries> {
  if (stopsAttempting()) throw new Error("this process is stopping");
  const again: AttemptedDeliveries["again"] = [];
  const errors: unknown[] = [];
  const left = [...ids];
  const endsAtMs = performance.now() + maximumMs;

  async function attemptNext(): Promise<void> {
    const mayStart = errors.length === 0 && performance.now() < endsAtMs && !stopsAttempting();
    const id = mayStart ? left.shift() : undefined;
    if (id === undefined) return;
    try {
      const { retryAt } = await attemptDelivery({ tenantId, environment, id });
      if (retryAt !== null) again.push({ id, retryAt });
    } catch (error) {
      if (isDatabaseUnavailable(error)) errors.push(error);
      else
        log.error(
          { error: (error as Error).message, delivery: id },
          "a delivery could not be attempted",
        );
    }
  }
  await Promise.all(ids.map(() => attempts.run(webhookId, attemptNext)));
  if (errors.length > 0) throw errors[0];
  return { again, left };
}
