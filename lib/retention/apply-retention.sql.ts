import { isDeliveryOf } from "@/lib/events/delivery-ids";
import { fewRowsOf, type References, sql } from "@/lib/platform/sql";
import type { RetentionKind } from "./kinds";

const parameters = {
  tenantId: "text",
  environment: "Environment",
  /** The first id of the time from which rows are stored, and that time. */
  beforeId: "text",
  before: "timestamptz",
} as const;

type P = References<typeof parameters>;

const within = (alias: string, p: P) =>
  `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = ${p.environment}`;

/**
 * As in the drop of a week, an event whose delivery may still be sent stays, and one whose delivery was
 * discarded less than a week ago.
 */
const isNeeded = (p: P, eventId: string) => `EXISTS (
      SELECT 1 FROM deliveries d WHERE ${within("d", p)} AND d.event_id = ${eventId} AND ${isDeliveryOf("d.id", eventId)}
        AND (d.status IN ('PENDING', 'HELD') OR d.requested_at IS NOT NULL
          OR d.status = 'DISCARDED' AND d.updated_at > now() - interval '7 days')
      OFFSET 0
    )`;

/**
 * The rows of each kind that have expired, oldest first, with their ids. Each is a range of an index:
 * conversations of that of closed ones by the time when they were closed, and the others of that of
 * ids, which start with the time of creation.
 */
const expired: Record<RetentionKind, (p: P) => string> = {
  conversations: (p) => `
    SELECT c.id, c.customer_id FROM conversations c
    WHERE ${within("c", p)} AND c.status = 'CLOSED' AND c.id < ${p.beforeId} AND c.closed_at <= ${p.before} ORDER BY c.closed_at, c.id`,
  events: (p) => `
    SELECT e.id FROM events e
    WHERE ${within("e", p)} AND e.id < ${p.beforeId} AND e.created_at <= ${p.before} AND NOT ${isNeeded(p, "e.id")} ORDER BY e.id`,
  requestLogs: (p) => `
    SELECT l.id FROM request_logs l WHERE ${within("l", p)} AND l.id < ${p.beforeId} AND l.created_at <= ${p.before} ORDER BY l.id`,
  attempts: (p) => `
    SELECT a.delivery_id AS id FROM delivery_attempts a
    WHERE ${within("a", p)} AND a.delivery_id < ${p.beforeId} AND a.started_at <= ${p.before} ORDER BY a.delivery_id`,
};

/** Counts at most this many, so that the count costs the same however many there are. */
export const maximumPreviewed = 10_000;

export const countExpiredStatements = Object.fromEntries(
  Object.entries(expired).map(([kind, select]) => [
    kind,
    sql(
      null,
      parameters,
      (p) =>
        `SELECT count(*)::int AS count FROM (${select(p)} LIMIT ${maximumPreviewed + 1}) AS expired`,
    ),
  ]),
) as Record<RetentionKind, ReturnType<typeof sql<typeof parameters>>>;

const batch = { ...parameters, limit: "int" } as const;

/** Triggers delete what belongs to a conversation, and a job its messages. */
export const deleteConversationsStatement = sql(
  "delete_expired_conversations",
  batch,
  (p) => `
  WITH doomed AS MATERIALIZED (${expired.conversations(p)} LIMIT ${p.limit} FOR UPDATE OF c SKIP LOCKED),
  deleted AS (
    DELETE FROM conversations c USING ${fewRowsOf("doomed")} AS x WHERE ${within("c", p)} AND c.id = x.id
  ),
  counted AS (
    UPDATE customers u SET conversation_count = u.conversation_count - x.conversations
    FROM (SELECT customer_id, count(*)::int AS conversations FROM doomed WHERE customer_id IS NOT NULL GROUP BY 1 ORDER BY 1) AS x
    WHERE ${within("u", p)} AND u.id = x.customer_id
  )
  SELECT id FROM doomed`,
);

/**
 * Goes through expired events in the order of ids, so that a batch reads none of the many that may
 * wait before those that it deletes. It locks only what it deletes, because each lock is written to
 * the row's page. An array of ids, unlike a join, makes PostgreSQL look each of them up, also while it
 * has no statistics. Triggers delete an event's deliveries and their attempts, and remember its
 * position in the feed.
 */
export const deleteEventsStatement = sql(
  "delete_expired_events",
  { ...batch, afterId: "text" },
  (p) => `
  WITH chosen AS MATERIALIZED (
    SELECT e.id FROM events e WHERE ${within("e", p)} AND e.id > ${p.afterId} AND e.id < ${p.beforeId} AND e.created_at <= ${p.before}
    ORDER BY e.id LIMIT ${p.limit}
  ),
  doomed AS MATERIALIZED (
    SELECT e.id FROM events e
    WHERE ${within("e", p)} AND e.id = ANY (ARRAY(SELECT c.id FROM chosen c WHERE NOT ${isNeeded(p, "c.id")})) FOR UPDATE OF e SKIP LOCKED
  ),
  deleted AS (
    DELETE FROM events e WHERE ${within("e", p)} AND e.id = ANY (ARRAY(SELECT id FROM doomed))
  )
  SELECT id FROM chosen ORDER BY id`,
);

export const deleteLogsStatement = sql(
  "delete_expired_request_logs",
  batch,
  (p) => `
  WITH doomed AS MATERIALIZED (${expired.requestLogs(p)} LIMIT ${p.limit} FOR UPDATE OF l SKIP LOCKED)
  DELETE FROM request_logs l USING ${fewRowsOf("doomed")} AS x WHERE ${within("l", p)} AND l.id = x.id RETURNING l.id`,
);

/**
 * Goes through deliveries in the order of ids, because the first attempt is stored in the delivery
 * itself, and deletes those of their attempts that have expired. The deliveries stay, with their
 * status and counts. An attempt can be much later than its delivery, so another pass finds it.
 */
export const deleteAttemptsStatement = sql(
  "delete_expired_attempts",
  { ...batch, afterId: "text" },
  (p) => `
  WITH chosen AS MATERIALIZED (
    SELECT d.id FROM deliveries d WHERE ${within("d", p)} AND d.id > ${p.afterId} AND d.id < ${p.beforeId} AND d.created_at <= ${p.before}
    ORDER BY d.id LIMIT ${p.limit}
  ),
  cleared AS (
    UPDATE deliveries d SET first_response = NULL FROM ${fewRowsOf("chosen")} AS x
    WHERE ${within("d", p)} AND d.id = x.id AND d.first_response IS NOT NULL AND coalesce(d.first_started_at, d.created_at) <= ${p.before}
  ),
  deleted AS (
    DELETE FROM delivery_attempts a USING ${fewRowsOf("chosen")} AS x WHERE ${within("a", p)} AND a.delivery_id = x.id AND a.started_at <= ${p.before}
  )
  SELECT id FROM chosen ORDER BY id`,
);
