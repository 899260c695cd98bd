import type { DeliveryReference } from "@/lib/platform/caller";
import { runStatement } from "@/lib/platform/db";
import { currentTime } from "@/lib/platform/time";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { claimDelivery } from "./claim";
import { deliveryStateStatement } from "./claim.sql";
import { disableWhereDue } from "./disable-if-failing";
import { recordAttempts } from "./record";
import { sendDelivery } from "./send-delivery";

/**
 * `waiting`: not due yet, under way elsewhere, or its webhook pauses. `gone`: there is no such
 * delivery any more.
 */
export type DeliveryState = "delivered" | "failed" | "held" | "discarded" | "waiting" | "gone";

/** `retryAt`: when it is worth asking again (RFC 3339), null where the delivery is finished. */
export type AttemptOutcome = { state: DeliveryState; retryAt: string | null };

const states: Record<DeliveryStatus, DeliveryState> = {
  PENDING: "waiting",
  DELIVERED: "delivered",
  FAILED: "failed",
  HELD: "held",
  DISCARDED: "discarded",
};

/**
 * Claims, sends and records one delivery. What cannot be claimed sends nothing and returns its
 * state, so this can run twice, late or at once with another.
 * @param options.now the time by which it is due; null for the database's clock
 */
export async function attemptDelivery(
  reference: DeliveryReference,
  { now = currentTime() }: { now?: Date | null } = {},
): Promise<AttemptOutcome> {
  const delivery = await claimDelivery(reference, now);
  if (delivery) {
    const startedAt = now ?? new Date();
    const result = await sendDelivery(delivery, startedAt);
    if (!result) return readState(reference, now);
    const attempt = { delivery, result, startedAt, trigger: delivery.trigger };
    const recorded = await recordAttempts([attempt], currentTime() ?? now);
    await disableWhereDue([attempt], recorded);
  }
  return readState(reference, now);
}

async function readState(
  { tenantId, environment, id }: DeliveryReference,
  now: Date | null,
): Promise<AttemptOutcome> {
  const values = [now, tenantId, environment, id];
  const [row] = await runStatement<{ status: DeliveryStatus; retry_at: Date | null }>(
    deliveryStateStatement,
    values,
  );
  if (!row) return { state: "gone", retryAt: null };
  return {
    state: states[row.status],
    retryAt: row.status === "PENDING" ? (row.retry_at?.toISOString() ?? null) : null,
  };
}
