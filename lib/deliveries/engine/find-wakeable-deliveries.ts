import type { DeliveryReference } from "@/lib/platform/caller";
import { runStatement, type Statement } from "@/lib/platform/db";
import type { Environment } from "@/prisma/generated/enums";

/**
 * All that a clock of its own may know of a delivery. `attemptNumber`: of the attempt that is now
 * to be made.
 */
export type WakeableDelivery = DeliveryReference & {
  webhookId: string;
  attemptNumber: number;
  updatedAt: Date;
};

type Row = {
  tenant_id: string;
  environment: Environment;
  id: string;
  webhook_id: string;
  attempt_number: number;
  updated_at: Date;
};

const wakeableDeliveriesStatement: Statement = {
  name: "wakeable_deliveries",
  text: `
  SELECT d.tenant_id, d.environment, d.id, d.webhook_id, d.attempt_count + 1 AS attempt_number, d.updated_at
  FROM unnest($1::text[], $2::text[]::"Environment"[], $3::text[]) AS r (tenant_id, environment, id)
  JOIN deliveries d ON d.tenant_id = r.tenant_id AND d.environment = r.environment AND d.id = r.id
  WHERE d.status = 'PENDING' OR d.requested_at IS NOT NULL`,
};

/** Those of them that wait to be sent; what is held or done meanwhile is left out. */
export async function findWakeableDeliveries(
  deliveries: DeliveryReference[],
): Promise<WakeableDelivery[]> {
  const rows = await runStatement<Row>(wakeableDeliveriesStatement, [
    deliveries.map(({ tenantId }) => tenantId),
    deliveries.map(({ environment }) => environment),
    deliveries.map(({ id }) => id),
  ]);
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    environment: row.environment,
    id: row.id,
    webhookId: row.webhook_id,
    attemptNumber: row.attempt_number,
    updatedAt: row.updated_at,
  }));
}
