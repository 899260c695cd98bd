import { isDeliveryOf } from "@/lib/events/delivery-ids";
import { sql } from "@/lib/platform/sql";

/**
 * The deliveries of the events `message.sent` of some messages. Of each, only the events of the
 * moment when it was posted are read, because events have no index of what they are about.
 */
export const deliveriesOfMessagesStatement = sql(
  "deliveries_of_messages",
  {
    tenantId: "text",
    environment: "Environment",
    ids: "text[]",
    afterIds: "text[]",
    beforeIds: "text[]",
  },
  (p) => {
    const within = (alias: string) =>
      `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = ${p.environment}`;
    return `
  SELECT m.id AS "messageId", d.id, d.status, d.attempt_count AS "attemptCount", w.id AS "webhookId", w.url
  FROM unnest(${p.ids}, ${p.afterIds}, ${p.beforeIds}) AS m (id, after_id, before_id)
  CROSS JOIN LATERAL (
    SELECT e.id FROM events e
    WHERE ${within("e")} AND e.id > m.after_id AND e.id < m.before_id AND e.type = 'message.sent'
      AND strpos(e.payload, '"object":{"id":"' || m.id || '"') > 0
    ORDER BY e.id LIMIT 1
  ) AS event
  JOIN deliveries d ON ${within("d")} AND d.event_id = event.id AND ${isDeliveryOf("d.id", "event.id")}
  JOIN webhooks w ON ${within("w")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
  ORDER BY d.id`;
  },
);
