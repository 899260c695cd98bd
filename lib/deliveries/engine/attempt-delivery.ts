import type { DeliveryReference } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { now as timeNow, timeSetByTest } from "@/lib/platform/time";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { claimDelivery, mayStart } from "./claim";
import { deliveryStateStatement } from "./claim.sql";
import { disableIfFailing } from "./disable-if-failing";
import { endedAttempt } from "./record";
import { recordPersistently } from "./recorder";
import { releaseLanes } from "./release-lanes";
import { giveBack } from "./release-leases";
import { sendDelivery } from "./send-delivery";

/**
 * A `waiting` delivery is not due yet or is in flight elsewhere, or its webhook is paused, or another
 * delivery of its lane is first. A delivery that is `gone` no longer exists.
 */
export type DeliveryState = "delivered" | "failed" | "held" | "discarded" | "waiting" | "gone";

/**
 * `retryAt`: when to check again (RFC 3339). Null if the delivery is finished, or if it is woken
 * once it is the first of its lane.
 */
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
  if (delivery && !mayStart(delivery)) await giveBack([delivery]);
  else if (delivery) {
    const startedAt = now ?? timeNow();
    const result = await sendDelivery(delivery, startedAt);
    if (!result) return readState(reference, now);
    const attempt = endedAttempt(delivery, result, startedAt);
    const recorded = await recordPersistently([attempt], timeSetByTest() ?? now);
    await disableIfFailing([attempt], recorded);
    wakeDeliveries(await releaseLanes([attempt], recorded));
    if (recorded[0]?.status === "DELIVERED") return { state: "delivered", retryAt: null };
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
