import type { DeliveryReference } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { now as timeNow, timeSetByTest } from "@/lib/platform/time";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { claimDelivery } from "./claim";
import { deliveryStateStatement } from "./claim.sql";
import { disableIfFailing } from "./disable-if-failing";
import { recordAttempts } from "./record";
import { sendDelivery } from "./send-delivery";

/**
 * A `waiting` delivery is not due yet or is in flight elsewhere, or its webhook is paused. A
 * delivery that is `gone` no longer exists.
 */
export type DeliveryState = "delivered" | "failed" | "held" | "discarded" | "waiting" | "gone";

/** `retryAt`: when to check again (RFC 3339); null if the delivery is finished. */
export type AttemptOutcome = { state: DeliveryState; retryAt: string | null };

const states: Record<DeliveryStatus, DeliveryState> = {
  PENDING: "waiting",
  DELIVERED: "delivered",
  FAILED: "failed",
  HELD: "held",
  DISCARDED: "discarded",
};

/**
 * Claims, sends and records one delivery. If it cannot be claimed, nothing is sent and its state is
 * returned, so this can run twice, late, or concurrently with another.
 * @param options.now the time by which it must be due; null for the database's clock
 */
export async function attemptDelivery(
  reference: DeliveryReference,
  { now = timeSetByTest() }: { now?: Date | null } = {},
): Promise<AttemptOutcome> {
  const delivery = await claimDelivery(reference, now);
  if (delivery) {
    const startedAt = now ?? timeNow();
    const result = await sendDelivery(delivery, startedAt);
    if (!result) return readState(reference, now);
    const attempt = { delivery, result, startedAt, trigger: delivery.trigger };
    const recorded = await recordAttempts([attempt], timeSetByTest() ?? now);
    await disableIfFailing([attempt], recorded);
  }
  return readState(reference, now);
}

async function readState(
  { tenantId, environment, id }: DeliveryReference,
  now: Date | null,
): Promise<AttemptOutcome> {
  const [row] = await runSql<{ status: DeliveryStatus; retry_at: Date | null }>(
    deliveryStateStatement({ now, tenantId, environment, id }),
  );
  if (!row) return { state: "gone", retryAt: null };
  return {
    state: states[row.status],
    retryAt: row.status === "PENDING" ? (row.retry_at?.toISOString() ?? null) : null,
  };
}
