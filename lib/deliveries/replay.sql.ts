import { sql } from "@/lib/platform/sql";

/**
 * How many events a replay would send. An event has at most one delivery to the webhook, so the
 * number of events without one is the difference of the two counts. Each count reads only an index,
 * or the type as well.
 */
export const countReplayStatement = sql(
  null,
  {
    tenantId: "text",
    environment: "Environment",
    webhookId: "text",
    types: "text[]",
    statuses: "text[]",
    afterId: "text",
    beforeId: "text",
    afterDeliveryId: "text",
    beforeDeliveryId: "text",
  },
  (p) => `
  WITH delivery AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE status::text = ANY (${p.statuses})) AS chosen FROM deliveries
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND webhook_id = ${p.webhookId}
      AND id > ${p.afterDeliveryId} AND id < ${p.beforeDeliveryId} AND event_type = ANY (${p.types})
  ),
  event AS (
    SELECT count(*) AS total FROM events
    WHERE 'NONE' = ANY (${p.statuses}) AND tenant_id = ${p.tenantId} AND environment = ${p.environment}
      AND id > ${p.afterId} AND id < ${p.beforeId} AND type = ANY (${p.types})
  )
  SELECT (delivery.chosen + greatest(event.total - delivery.total, 0))::int AS count FROM delivery, event`,
);
