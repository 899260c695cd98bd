import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";

/** While a tenant's test data is being wiped, counts would not last. */
const isToCount = `NOT EXISTS (SELECT 1 FROM wipe_tasks w WHERE w.tenant_id = t.id) AND ${isNotMoving("t.id")}`;

/**
 * The earliest day that is not counted yet and has ended, with some of its tenants. A row's id is
 * created up to some seconds before its transaction commits, by a clock that may be slow: an hour
 * after its end, a day gets no more rows.
 */
export const nextDayStatement = sql(
  "usage_next_day",
  { now: "clock", limit: "int", except: "text[]" },
  (p) => `
  SELECT t.day::text AS day, array_agg(t.id) AS "tenantIds" FROM (
    SELECT t.id, t.counted_until AS day FROM tenants t
    WHERE t.counted_until < ((${timeOf(p.now)} - interval '1 hour') AT TIME ZONE 'UTC')::date AND ${isToCount} AND t.id <> ALL (${p.except})
    ORDER BY t.counted_until LIMIT ${p.limit}
  ) AS t
  GROUP BY t.day ORDER BY t.day LIMIT 1`,
);

/**
 * Counts one day of these tenants, without those that have been counted for it. The other ids are the
 * first ones of that day and of the next. Returns a row for each tenant.
 */
export const countDayStatement = sql(
  "usage_count_day",
  {
    day: "date",
    tenantIds: "text[]",
    firstConversationId: "text",
    nextConversationId: "text",
    firstMessageId: "text",
    nextMessageId: "text",
  },
  (p) => `
  WITH due AS MATERIALIZED (
    SELECT t.id FROM tenants t WHERE t.id = ANY (${p.tenantIds}) AND t.counted_until = ${p.day} AND ${isToCount} FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  counted AS (
    INSERT INTO conversation_days (tenant_id, environment, day, conversations_created, messages_received, messages_sent)
    SELECT due.id, e.environment, ${p.day}, conversation.created + coalesce(deleted.conversations_created, 0),
      message.received + coalesce(deleted.messages_received, 0), message.sent + coalesce(deleted.messages_sent, 0)
    FROM due CROSS JOIN unnest(enum_range(NULL::"Environment")) AS e (environment)
    CROSS JOIN LATERAL (
      SELECT count(*) AS created FROM conversations WHERE tenant_id = due.id AND environment = e.environment AND id >= ${p.firstConversationId} AND id < ${p.nextConversationId}
    ) AS conversation
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE direction = 'INBOUND') AS received, count(*) FILTER (WHERE direction = 'OUTBOUND') AS sent
      FROM messages WHERE tenant_id = due.id AND environment = e.environment AND id >= ${p.firstMessageId} AND id < ${p.nextMessageId}
    ) AS message
    LEFT JOIN deleted_days deleted ON deleted.tenant_id = due.id AND deleted.environment = e.environment AND deleted.day = ${p.day}
    WHERE conversation.created + message.received + message.sent > 0 OR deleted.day IS NOT NULL
  )
  UPDATE tenants t SET counted_until = ${p.day} + 1 FROM ${fewRowsOf("due")} AS due WHERE t.id = due.id RETURNING 1`,
);
