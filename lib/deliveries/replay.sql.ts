import { passesFilterToday } from "@/lib/events/filter.sql";
import { sql } from "@/lib/platform/sql";

const parameters = {
  tenantId: "text",
  environment: "Environment",
  webhookId: "text",
  types: "text[]",
  statuses: "text[]",
  afterId: "text",
  beforeId: "text",
  afterDeliveryId: "text",
  beforeDeliveryId: "text",
  /** Deliveries from here on are of events that were raised since the request. */
  newDeliveryId: "text",
} as const;

/**
 * How many events a replay would send. An event has at most one delivery to the webhook, so the
 * number of events without one is the difference of the two counts. Each count reads only an index,
 * or the type as well.
 */
export const countReplayStatement = sql(
  null,
  parameters,
  (p) => `
  WITH delivery AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE status::text = ANY (${p.statuses}) AND id < ${p.newDeliveryId}) AS chosen FROM deliveries
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND webhook_id = ${p.webhookId}
      AND id > ${p.afterDeliveryId} AND id < ${p.beforeDeliveryId} AND event_type = ANY (${p.types})
  ),
  event AS (
    SELECT count(*) AS total FROM events
    WHERE 'NONE' = ANY (${p.statuses}) AND tenant_id = ${p.tenantId} AND environment = ${p.environment}
      AND id > ${p.afterId} AND id < ${p.beforeId} AND type = ANY (${p.types})
  )
  SELECT (delivery.chosen + greatest(event.total - delivery.total, 0))::int AS count, false AS "isMore" FROM delivery, event`,
);

/** A filter needs the events and their conversations, so no more than these are counted. */
export const maximumFiltered = 20_000;

/**
 * The same for a webhook with a filter. It reads at most `maximumFiltered` events of the period,
 * oldest first, so that it takes the same time however many there are. `isMore` says that there are
 * events that it did not read.
 */
export const countFilteredReplayStatement = sql(
  null,
  parameters,
  (p) => `
  WITH read AS MATERIALIZED (
    SELECT e.id FROM events e
    WHERE e.tenant_id = ${p.tenantId} AND e.environment = ${p.environment} AND e.id > ${p.afterId} AND e.id < ${p.beforeId} AND e.type = ANY (${p.types})
    ORDER BY e.id LIMIT ${maximumFiltered + 1}
  ),
  examined AS MATERIALIZED (SELECT id FROM read ORDER BY id LIMIT ${maximumFiltered})
  SELECT count(*)::int AS count, (SELECT count(*) FROM read) > ${maximumFiltered} AS "isMore" FROM webhooks w
  CROSS JOIN examined x
  CROSS JOIN LATERAL (
    SELECT * FROM events e WHERE e.tenant_id = w.tenant_id AND e.environment = w.environment AND e.id = x.id OFFSET 0
  ) AS e
  LEFT JOIN deliveries d ON d.tenant_id = e.tenant_id AND d.environment = e.environment AND d.webhook_id = w.id AND d.event_id = e.id
    AND d.id > ${p.afterDeliveryId} AND d.id < ${p.beforeDeliveryId}
  WHERE w.tenant_id = ${p.tenantId} AND w.environment = ${p.environment} AND w.id = ${p.webhookId}
    AND coalesce(d.status::text, 'NONE') = ANY (${p.statuses}) AND (d.id IS NULL OR d.id < ${p.newDeliveryId}) AND ${passesFilterToday("w.filter", "e")}`,
);
