import type { Statement } from "@/lib/platform/db";

/** While a tenant's test data is being wiped, there is nothing to count that would last. */
const isToCount = "NOT EXISTS (SELECT 1 FROM wipe_tasks w WHERE w.tenant_id = t.id)";

/** The earliest day, of all tenants, that is not counted yet and lies before $1. */
export const nextDayStatement: Statement = {
  name: "usage_next_day",
  text: `SELECT t.counted_until::text AS day FROM tenants t WHERE t.counted_until < $1::date AND ${isToCount} ORDER BY t.counted_until LIMIT 1`,
};

/**
 * Counts the day $1 of as many as $2 tenants whose turn it is. $3 and $4 are the ids of
 * conversations that bound the day, $5 and
 * $6 those of messages. Returns a row for each tenant.
 */
export const countDayStatement: Statement = {
  name: "usage_count_day",
  text: `
  WITH due AS MATERIALIZED (
    SELECT t.id FROM tenants t WHERE t.counted_until = $1::date AND ${isToCount} LIMIT $2::int FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  counted AS (
    INSERT INTO conversation_days (tenant_id, environment, day, conversations_created, messages_received, messages_sent)
    SELECT due.id, e.environment, $1::date, conversation.created, message.received, message.sent
    FROM due CROSS JOIN unnest(enum_range(NULL::"Environment")) AS e (environment)
    CROSS JOIN LATERAL (
      SELECT count(*) AS created FROM conversations WHERE tenant_id = due.id AND environment = e.environment AND id >= $3 AND id < $4
    ) AS conversation
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE direction = 'INBOUND') AS received, count(*) FILTER (WHERE direction = 'OUTBOUND') AS sent
      FROM messages WHERE tenant_id = due.id AND environment = e.environment AND id >= $5 AND id < $6
    ) AS message
    WHERE conversation.created + message.received + message.sent > 0
  )
  UPDATE tenants t SET counted_until = $1::date + 1 FROM due WHERE t.id = due.id RETURNING 1`,
};
