import type { DeliveryReference } from "@/lib/caller";
import { runStatement, type Statement } from "@/lib/db";

const webhooksOfDeliveriesStatement: Statement = {
  name: "webhooks_of_deliveries",
  text: `
  SELECT d.id, d.webhook_id FROM unnest($1::text[], $2::text[]::"Environment"[], $3::text[]) AS r (tenant_id, environment, id)
  JOIN deliveries d ON d.tenant_id = r.tenant_id AND d.environment = r.environment AND d.id = r.id`,
};

/** The webhook's id by the delivery's, for a clock that limits how many deliveries a webhook has under way. */
export async function findWebhooksOfDeliveries(deliveries: DeliveryReference[]): Promise<Map<string, string>> {
  const rows = await runStatement<{ id: string; webhook_id: string }>(webhooksOfDeliveriesStatement, [
    deliveries.map(({ tenantId }) => tenantId),
    deliveries.map(({ environment }) => environment),
    deliveries.map(({ id }) => id),
  ]);
  return new Map(rows.map(({ id, webhook_id }) => [id, webhook_id]));
}
