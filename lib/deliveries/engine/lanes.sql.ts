import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRows, fewRowsOf, sql, timeOf, withLockTimeout } from "@/lib/platform/sql";
import { isWebhookOf, sameDelivery, sameWebhook } from "./joins.sql";

// The deliveries of one conversation to a webhook with ordering are a lane. They are sent in the
// order of their positions, which are taken under the lock of the conversation's row. A statement that
// sees a delivery therefore also sees all that are before it, and a claim can decide alone whether a
// delivery is the first that waits. It parks one that is not: without a `next_attempt_at` it is not
// due, so claims do not read it again. It is released when the one before it has ended.

/**
 * Whether held deliveries of a webhook stop their lanes. They do if the webhook has
 * `on_exhausted = 'hold'`, and while held deliveries are being sent again.
 */
export const waitsForHeld = (w: string) => `
  CASE WHEN ${w}.ordering = 'conversation' THEN ${w}.on_exhausted = 'hold' OR EXISTS (
    SELECT 1 FROM backlog_tasks t
    WHERE t.tenant_id = ${w}.tenant_id AND t.environment = ${w}.environment AND t.webhook_id = ${w}.id AND t.action IN ('RESUME', 'RECOVER')
  ) ELSE false END`;

/** The deliveries before `d` in its lane that have this status, the nearest first. */
const before = (d: string, status: "PENDING" | "HELD", condition = "true") => `
  SELECT b.id FROM deliveries b
  WHERE ${condition} AND b.status = '${status}' AND ${sameWebhook("b", d)} AND b.conversation_id = ${d}.conversation_id
    AND (b.position, b.event_id) < (${d}.position, ${d}.event_id)
  ORDER BY b.position DESC, b.event_id DESC`;

/**
 * Whether a delivery after `d` in its lane is in flight. It was the first one when it was claimed, and
 * `d` was recovered since.
 */
const isLaterInFlight = (d: string, now: string) => `(
      SELECT 1 FROM (
        SELECT a.lease_expires_at FROM deliveries a
        WHERE a.status = 'PENDING' AND ${sameWebhook("a", d)} AND a.conversation_id = ${d}.conversation_id
          AND (a.position, a.event_id) > (${d}.position, ${d}.event_id)
        ORDER BY a.position, a.event_id LIMIT ${fewRows}
      ) a WHERE a.lease_expires_at > ${now} LIMIT 1
    ) IS NOT NULL`;

/**
 * The parts of a claim that keep the order. `from` names the rows that it may take: they are locked,
 * and have `waits_for_held` and `may_be_recovered`. `placed` adds `is_first` to them, and `parked` parks
 * the others.
 *
 * To park a delivery, the claim locks one before it that still waits. The statement that records the
 * end of that one waits for the lock, so the release after it finds the parked delivery. If another
 * transaction has the lock already, or one after it is in flight, the delivery stays due, and a later
 * claim decides.
 */
export const keepOrder = (from: string, now: string) => `
  placed AS MATERIALIZED (
    SELECT d.*, d.conversation_id IS NULL OR (
      (${before("d", "PENDING")} LIMIT 1) IS NULL AND NOT (d.waits_for_held AND (${before("d", "HELD")} LIMIT 1) IS NOT NULL)
      AND NOT (d.may_be_recovered AND ${isLaterInFlight("d", now)})
    ) AS is_first
    FROM ${from} d
  ),
  blocked AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.id FROM placed d
    LEFT JOIN LATERAL (${before("d", "PENDING")} LIMIT 1 FOR SHARE SKIP LOCKED) pending ON true
    LEFT JOIN LATERAL (${before("d", "HELD", "d.waits_for_held")} LIMIT 1 FOR SHARE SKIP LOCKED) held ON true
    WHERE NOT d.is_first AND coalesce(pending.id, held.id) IS NOT NULL
  ),
  parked AS (
    UPDATE deliveries d SET next_attempt_at = NULL FROM ${fewRowsOf("blocked")} b WHERE ${sameDelivery("d", "b")} RETURNING 1
  )`;

type Locked = "SKIP LOCKED" | "";

/**
 * Makes the first delivery of each lane, which are in `first`, due if it is parked.
 * @param locked whether to leave out rows that another transaction has locked, or wait for them
 */
const release = (clock: string, locked: Locked) => `
  UPDATE deliveries d SET next_attempt_at = ${timeOf(clock)}, updated_at = ${timeOf(clock)}
  FROM (
    SELECT d.* FROM ${fewRowsOf("first")} d
    CROSS JOIN LATERAL (SELECT 1 FROM deliveries r WHERE ${sameDelivery("r", "d")} AND ${isParked("r")} FOR NO KEY UPDATE ${locked}) row
    WHERE ${isNotMoving("d.tenant_id")} AND EXISTS (
      SELECT 1 FROM webhooks w
      WHERE ${isWebhookOf("w", "d")} AND w.status = 'ENABLED'
        AND NOT (${waitsForHeld("w")} AND (${before("d", "HELD")} LIMIT 1) IS NOT NULL)
    )
  ) f
  WHERE ${sameDelivery("d", "f")} AND ${isParked("d")}
  RETURNING d.tenant_id, d.environment, d.id`;

const isParked = (d: string) =>
  `${d}.status = 'PENDING' AND ${d}.next_attempt_at IS NULL AND ${d}.requested_at IS NULL`;

const releaseLanes = (name: string, locked: Locked) =>
  sql(
    name,
    {
      now: "clock",
      /** How long to wait for each locked row, such as `250ms`. */
      lockTimeout: "text",
      tenantIds: "text[]",
      environments: "Environment[]",
      webhookIds: "text[]",
      conversationIds: "text[]",
    },
    (p) => `
  WITH lane AS (
    SELECT DISTINCT * FROM unnest(${p.tenantIds}, ${p.environments}, ${p.webhookIds}, ${p.conversationIds})
      AS l (tenant_id, environment, webhook_id, conversation_id)
    WHERE ${withLockTimeout(p.lockTimeout)}
  ),
  first AS MATERIALIZED (
    SELECT d.* FROM lane l
    CROSS JOIN LATERAL (
      SELECT d.tenant_id, d.environment, d.webhook_id, d.conversation_id, d.position, d.event_id, d.id, d.next_attempt_at FROM deliveries d
      WHERE d.status = 'PENDING' AND ${sameWebhook("d", "l")} AND d.conversation_id = l.conversation_id
      ORDER BY d.position, d.event_id LIMIT 1
    ) d
  ),
  released AS (${release(p.now, locked)})
  SELECT * FROM released
  UNION ALL
  SELECT tenant_id, environment, id FROM first WHERE next_attempt_at <= ${timeOf(p.now)}`,
  );

/**
 * Releases the first delivery of each of these lanes, if it is parked. Returns those that are then
 * due, including one that a claim did not park because the one before it was being recorded. Recording waits
 * for this statement, so it gives up early on a locked row.
 */
export const releaseLanesStatement = releaseLanes("release_lanes", "");

/** The same without the lanes whose first delivery is locked. */
export const releaseFreeLanesStatement = releaseLanes("release_free_lanes", "SKIP LOCKED");

const firstOfNextLane = (after: string) => `
  SELECT d.tenant_id, d.environment, d.webhook_id, d.conversation_id, d.position, d.event_id, d.id, d.next_attempt_at FROM deliveries d
  WHERE d.status = 'PENDING' AND d.conversation_id IS NOT NULL AND (d.tenant_id, d.environment, d.webhook_id, d.conversation_id) > (${after})
  ORDER BY d.tenant_id, d.environment, d.webhook_id, d.conversation_id, d.position, d.event_id LIMIT 1`;

/**
 * Visits the next lanes, each by one index lookup, and releases those whose first delivery is parked.
 * It leaves out those that are locked, so that one organization does not hold up the others. The next
 * sweep visits them again.
 * Returns the scan's new position, and the deliveries that it released.
 */
export const sweepLanesStatement = sql(
  "sweep_lanes",
  {
    now: "clock",
    afterTenantId: "text",
    afterEnvironment: "Environment",
    afterWebhookId: "text",
    afterConversationId: "text",
    steps: "int",
  },
  (p) => `
  WITH RECURSIVE lane AS (
    (SELECT n.*, 1 AS step FROM (
      ${firstOfNextLane(`${p.afterTenantId}, ${p.afterEnvironment}, ${p.afterWebhookId}, ${p.afterConversationId}`)}
    ) n)
    UNION ALL
    SELECT n.*, l.step + 1 FROM lane l
    CROSS JOIN LATERAL (${firstOfNextLane("l.tenant_id, l.environment, l.webhook_id, l.conversation_id")}) n
    WHERE l.step < ${p.steps}
  ),
  first AS MATERIALIZED (SELECT * FROM lane WHERE next_attempt_at IS NULL),
  released AS (${release(p.now, "SKIP LOCKED")})
  SELECT scan.*, released.*
  FROM (
    SELECT count(*)::int AS steps,
      (array_agg(ARRAY[tenant_id, environment::text, webhook_id, conversation_id] ORDER BY step DESC))[1:1] AS place
    FROM lane
  ) scan
  LEFT JOIN released ON true`,
);
