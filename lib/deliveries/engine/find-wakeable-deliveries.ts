import type { DeliveryReference } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";
import type { Environment } from "@/prisma/generated/enums";

/**
 * The data about a delivery that Inngest receives. `attemptNumber` is the number of the attempt to
 * make.
 */
export type WakeableDelivery = DeliveryReference & {
  webhookId: string;
  attemptNumber: number;
  updatedAt: Date;
};

export type WakeableRow = {
  tenant_id: string;
  environment: Environment;
  id: string;
  webhook_id: string;
  attempt_number: number;
  updated_at: Date;
};

const wakeableDeliveriesStatement = sql(
  "wakeable_deliveries",
  { tenantIds: "text[]", environments: "Environment[]", ids: "text[]" },
  (p) => `
  SELECT d.tenant_id, d.environment, d.id, d.webhook_id, d.attempt_count + 1 AS attempt_number, d.updated_at
  FROM unnest(${p.tenantIds}, ${p.environments}, ${p.ids}) AS r (tenant_id, environment, id)
  JOIN deliveries d ON d.tenant_id = r.tenant_id AND d.environment = r.environment AND d.id = r.id
  WHERE d.status = 'PENDING' OR d.requested_at IS NOT NULL`,
);

/** Returns those of the deliveries that are pending or have a requested attempt. */
export async function findWakeableDeliveries(
  deliveries: DeliveryReference[],
): Promise<WakeableDelivery[]> {
  const rows = await runSql<WakeableRow>(
    wakeableDeliveriesStatement({
      tenantIds: deliveries.map(({ tenantId }) => tenantId),
      environments: deliveries.map(({ environment }) => environment),
      ids: deliveries.map(({ id }) => id),
    }),
  );
  return rows.map(toWakeable);
}

export const toWakeable = (row: WakeableRow): WakeableDelivery => ({
  tenantId: row.tenant_id,
  environment: row.environment,
  id: row.id,
  webhookId: row.webhook_id,
  attemptNumber: row.attempt_number,
  updatedAt: row.updated_at,
});
