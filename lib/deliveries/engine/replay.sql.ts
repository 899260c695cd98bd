import { isDeliveryOf } from "@/lib/events/delivery-ids";
import { conversationIdIn, passesFilterToday } from "@/lib/events/filter.sql";
import { deliveryIdOf } from "@/lib/events/outbox.sql";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";
import { recoveredPerSecond } from "../backlog";
import { isTask, taskId } from "./backlog-task.sql";
import { isWebhookOf, samePartition, sameWebhook } from "./joins.sql";

/**
 * Processes one batch of a replay, unless another worker holds it. Reads the next events in the
 * order of ids. Those of the selected types that pass the webhook's filter
 * get a new schedule: their delivery if they have one, or one that is created, under the id that it
 * would have had. An event that was raised since the request is sent only if it has none: its id can be
 * from a process whose clock is ahead. With ordering, they are added to the ends of their lanes, in the order of the feed,
 * which is not always the order within a conversation. The events are locked, because a job that
 * deletes one with its deliveries would not see the delivery that is created.
 * The task advances in the same statement, so each event is sent once, whatever crashes. A replay
 * ends with its last event, or if its webhook was disabled or deleted meanwhile.
 * Returns one row, with how many events were read, if the task exists and is free.
 */
export const replayStatement = sql(
  "replay_events",
  { ...taskId, now: "clock", limit: "int" },
  (p) => `
  WITH task AS MATERIALIZED (
    SELECT t.*, greatest(t.next_due_at, ${timeOf(p.now)}) AS due_from, w.filter,
      w.status = 'ENABLED' AND w.deleted_at IS NULL AS is_possible,
      w.ordering = 'conversation' AS is_ordered
    FROM backlog_tasks t
    JOIN webhooks w ON ${isWebhookOf("w", "t")}
    WHERE ${isTask("t", p)} AND ${isNotMoving("t.tenant_id")}
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ),
  event AS MATERIALIZED (
    SELECT e.* FROM task t
    CROSS JOIN LATERAL (
      SELECT e.tenant_id, e.environment, e.id, e.type, e.xact, CASE WHEN t.is_ordered THEN ${conversationIdIn("e.payload")} END AS conversation_id
      FROM events e
      WHERE t.is_possible AND ${samePartition("e", "t")} AND e.id > t.after_id AND e.id < t.before_id
      ORDER BY e.id LIMIT ${p.limit}
      FOR KEY SHARE
    ) e
  ),
  existing AS MATERIALIZED (
    SELECT d.* FROM task t
    CROSS JOIN (SELECT * FROM event ORDER BY id LIMIT 1000) e
    CROSS JOIN LATERAL (
      SELECT d.id, d.event_id, d.status FROM deliveries d
      WHERE ${sameWebhook("d", "t")} AND d.event_type = e.type AND d.event_id = e.id
        AND ${isDeliveryOf("d.id", "e.id")}
      FOR NO KEY UPDATE
    ) d
    WHERE e.type = ANY (t.event_types)
  ),
  chosen AS MATERIALIZED (
    SELECT e.*, x.id AS delivery_id, row_number() OVER (ORDER BY e.xact, e.id) AS place
    FROM task t CROSS JOIN event e LEFT JOIN existing x ON x.event_id = e.id
    WHERE e.type = ANY (t.event_types) AND coalesce(x.status::text, 'NONE') = ANY (t.delivery_statuses)
      AND (x.id IS NULL OR e.id < 'evt_' || ulid_time(t.created_at + interval '1 millisecond'))
      AND ${passesFilterToday("t.filter", "e")}
  ),
  due AS MATERIALIZED (
    SELECT c.*, t.webhook_id, t.due_from + make_interval(secs => (c.place - 1) / ${recoveredPerSecond}::float8) AS due_at,
      CASE WHEN c.conversation_id IS NOT NULL THEN nextval('delivery_positions') END AS position
    FROM task t CROSS JOIN (SELECT * FROM chosen ORDER BY place) c
  ),
  changed AS (
    UPDATE deliveries d SET status = 'PENDING', automatic_count = 0, next_attempt_at = c.due_at,
      conversation_id = c.conversation_id, position = c.position, updated_at = ${timeOf(p.now)}
    FROM ${fewRowsOf("due")} c
    WHERE ${sameWebhook("d", "c")} AND d.id = c.delivery_id
    RETURNING d.id
  ),
  created AS (
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, conversation_id, position,
      created_at, updated_at)
    SELECT c.tenant_id, c.environment, ${deliveryIdOf("c.id", "c.webhook_id")}, c.webhook_id, c.id, c.type, 'PENDING', c.due_at,
      c.conversation_id, c.position, ${timeOf(p.now)}, ${timeOf(p.now)}
    FROM due c WHERE c.delivery_id IS NULL
    ON CONFLICT DO NOTHING
    RETURNING id
  ),
  last AS (SELECT count(*)::int AS total, max(id) AS id, (SELECT count(*)::int FROM chosen) AS sent FROM event),
  moved AS (
    UPDATE backlog_tasks b SET after_id = last.id, next_due_at = t.due_from + make_interval(secs => last.sent / ${recoveredPerSecond}::float8)
    FROM task t, last
    WHERE last.total = ${p.limit} AND ${samePartition("b", "t")} AND b.id = t.id
  ),
  ended AS (
    DELETE FROM backlog_tasks b USING task t, last
    WHERE last.total < ${p.limit} AND ${samePartition("b", "t")} AND b.id = t.id
  )
  SELECT last.total AS processed,
    ARRAY(SELECT id FROM changed UNION ALL SELECT id FROM created) AS "pendingIds"
  FROM task, last`,
);
