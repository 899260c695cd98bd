import type { DeliveryReference } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { pool, rowsOf, runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { isLockTimeout } from "@/lib/platform/sql-errors";
import { wakeDeliveries } from "@/lib/platform/wake-ups";
import type { Environment } from "@/prisma/generated/enums";
import { releaseFreeLanesStatement, releaseLanesStatement, sweepLanesStatement } from "./lanes.sql";
import type { EndedAttempt, RecordedAttempt } from "./record";

const log = logOf("deliveries");

type ReleasedRow = { tenant_id: string; environment: Environment; id: string };

const toReference = ({ tenant_id: tenantId, environment, id }: ReleasedRow): DeliveryReference => ({
  tenantId,
  environment,
  id,
});

/**
 * Releases the next delivery of each lane in which one of these attempts has ended. Called after
 * the attempts were recorded, so that it sees everything that was parked behind them. Never throws:
 * the sweep releases what this does not.
 * @param on where its statement runs
 * @returns the deliveries that are now due
 */
export async function releaseLanes(
  attempts: EndedAttempt[],
  recorded: (RecordedAttempt | null)[],
  on = pool(),
): Promise<DeliveryReference[]> {
  const ended = attempts.filter(
    ({ delivery }, index) =>
      delivery.conversationId !== null && recorded[index]?.status !== "PENDING",
  );
  if (ended.length === 0) return [];
  const column = <Value>(pick: (attempt: EndedAttempt) => Value) => ended.map(pick);
  const lanes = {
    lockTimeout: `${databaseWaits.sharedLock}ms`,
    tenantIds: column(({ delivery }) => delivery.tenantId),
    environments: column(({ delivery }) => delivery.environment),
    webhookIds: column(({ delivery }) => delivery.webhookId),
    conversationIds: column(({ delivery }) => delivery.conversationId ?? ""),
  };
  try {
    const rows = await rowsOf<ReleasedRow>(on, releaseLanesStatement(lanes)).catch((error) => {
      if (!isLockTimeout(error)) throw error;
      return rowsOf<ReleasedRow>(on, releaseFreeLanesStatement(lanes));
    });
    return rows.map(toReference);
  } catch (error) {
    log.warn({ error: (error as Error).message }, "lanes could not be released yet");
    return [];
  }
}

type Place = [
  tenantId: string,
  environment: Environment,
  webhookId: string,
  conversationId: string,
];

const start: Place = ["", "live", "", ""];
let place = start;

/**
 * Releases the first delivery of each lane if it is parked. That happens after a crash, or when the
 * delivery before it was deleted or discarded, or failed for good. Each call continues with the next
 * lanes, so the cost of a call does not depend on the number of lanes.
 * @returns how many deliveries it released
 */
export async function sweepLanes(limit: number): Promise<number> {
  const [afterTenantId, afterEnvironment, afterWebhookId, afterConversationId] = place;
  const rows = await runSql<Partial<ReleasedRow> & { steps: number; place: [Place] | null }>(
    sweepLanesStatement({
      ...{ afterTenantId, afterEnvironment, afterWebhookId, afterConversationId },
      steps: limit,
    }),
  );
  const [scan] = rows;
  place = (scan && scan.steps >= limit && scan.place?.[0]) || start;
  const released = rows.flatMap((row) => (row.id ? [toReference(row as ReleasedRow)] : []));
  wakeDeliveries(released);
  return Math.min(released.length, limit - 1);
}
