import type { Statement } from "@/lib/platform/db";
import { disableAfterFailures, probeAfterFailures } from "@/lib/webhooks/health";

// The claims share their first three parameters: $1 now (null for the database's clock), $2 the
// claim's id, which becomes the lease's holder, and $3 the lease in seconds.
//
// A row that is under way keeps its `next_attempt_at`: only the two columns of the lease change,
// which no index holds, so a claim costs no index entry. When a lease ends without a result, the
// row is due again by itself.

/**
 * Columns keep milliseconds and round up, so a row written just now may lie half a millisecond
 * ahead.
 */
const now = `coalesce($1::timestamptz, now() + interval '1 millisecond')`;

const isFree = `(d.lease_expires_at IS NULL OR d.lease_expires_at <= ${now})`;

/** A webhook that may be sent to at all; one that keeps failing only when its pause is over. */
const isReady = `w.status = 'ENABLED' AND w.consecutive_failures < ${disableAfterFailures}
  AND (w.consecutive_failures < ${probeAfterFailures} OR w.probe_after IS NULL OR w.probe_after <= ${now})`;

const samePartition = (a: string, b: string) =>
  `${a}.tenant_id = ${b}.tenant_id AND ${a}.environment = ${b}.environment`;

/**
 * From `picked`, whose rows are locked, to what is needed for sending. They are found again by
 * their place in the table, which a row keeps while it is locked, and so at the same cost whatever
 * the planner knows of the table. A webhook that keeps failing is reserved by moving
 * `probe_after` past the lease: of two claims that found it ready, the second one sees that here
 * and takes nothing. Its lock is skipped where it is taken, and never waited for.
 */
const leaseAndReturn = `
  probe AS (
    UPDATE webhooks target SET probe_after = ${now} + make_interval(secs => $3::float8)
    FROM (
      SELECT w.tenant_id, w.environment, w.id FROM picked p
      JOIN webhooks w ON ${samePartition("w", "p")} AND w.id = p.webhook_id
      WHERE p.is_failing AND ${isReady}
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ) w
    WHERE ${samePartition("target", "w")} AND target.id = w.id
    RETURNING target.tenant_id, target.environment, target.id
  ),
  leased AS (
    UPDATE deliveries d SET lease_holder = $2::text, lease_expires_at = ${now} + make_interval(secs => $3::float8)
    FROM picked p
    WHERE d.ctid = p.row
      AND (NOT p.is_failing OR EXISTS (SELECT 1 FROM probe w WHERE ${samePartition("w", "p")} AND w.id = p.webhook_id))
    RETURNING d.tenant_id, d.environment, d.id, d.webhook_id, d.event_id, d.event_type, d.attempt_count, d.automatic_count,
      d.requested_trigger, p.url, p.is_failing AS is_probe
  ),
  secret AS MATERIALIZED (
    SELECT s.tenant_id, s.environment, s.webhook_id, array_agg(s.ciphertext ORDER BY s.version DESC) AS sealed_secrets
    FROM (SELECT DISTINCT tenant_id, environment, webhook_id FROM leased) l
    JOIN webhook_secrets s ON ${samePartition("s", "l")} AND s.webhook_id = l.webhook_id
    WHERE s.expires_at IS NULL OR s.expires_at > ${now}
    GROUP BY s.tenant_id, s.environment, s.webhook_id
  ),
  claimed AS (
    SELECT l.*, e.payload, s.sealed_secrets FROM leased l
    JOIN events e ON ${samePartition("e", "l")} AND e.id = l.event_id
    LEFT JOIN secret s ON ${samePartition("s", "l")} AND s.webhook_id = l.webhook_id
  )`;

const nextWaiting = (after: string) => `
  SELECT d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at FROM deliveries d
  WHERE d.status = 'PENDING' AND (d.tenant_id, d.environment, d.webhook_id) > (${after})
  ORDER BY d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at LIMIT 1`;

/**
 * Claims for many webhooks at once, so that none waits for another's backlog. Candidates are the
 * webhooks of the oldest rows that are due, for speed, and those that a walk round all waiting
 * webhooks meets next, for fairness: each step of the walk is one look into the index, however many
 * rows a webhook has. Every candidate gets an equal share of the batch, and no more than its
 * allowance.
 *
 * $4 rows at most, $5 $6 $7 where the walk stands (tenant, environment, webhook), $8 its steps, $9
 * webhooks and $10 how many more each of these may have under way, $11 the same for all others, $12
 * seconds that a row must be overdue. The first row always comes, and says where the walk has got
 * to.
 */
export const claimBatchStatement: Statement = {
  name: "claim_deliveries",
  text: `
  WITH RECURSIVE waiting AS (
    (SELECT n.*, 1 AS step FROM (${nextWaiting(`$5::text, $6::"Environment", $7::text`)}) n)
    UNION ALL
    SELECT n.*, w.step + 1 FROM waiting w
    CROSS JOIN LATERAL (${nextWaiting("w.tenant_id, w.environment, w.webhook_id")}) n
    WHERE w.step < $8::int
  ),
  oldest AS (
    SELECT d.tenant_id, d.environment, d.webhook_id FROM deliveries d
    WHERE d.status = 'PENDING' AND d.next_attempt_at <= ${now} - make_interval(secs => $12::float8) AND ${isFree}
    ORDER BY d.next_attempt_at LIMIT $8::int
  ),
  candidate AS (
    SELECT tenant_id, environment, webhook_id FROM oldest
    UNION
    SELECT tenant_id, environment, webhook_id FROM waiting WHERE next_attempt_at <= ${now} - make_interval(secs => $12::float8)
  ),
  ready AS MATERIALIZED (
    SELECT w.tenant_id, w.environment, w.id AS webhook_id, w.url, w.consecutive_failures >= ${probeAfterFailures} AS is_failing,
      coalesce(b.allowance, $11::int) AS allowance, greatest(1, $4::int / (count(*) OVER ())::int) AS share
    FROM candidate c
    JOIN webhooks w ON ${samePartition("w", "c")} AND w.id = c.webhook_id
    LEFT JOIN unnest($9::text[], $10::int[]) AS b (id, allowance) ON b.id = w.id
    WHERE ${isReady} AND coalesce(b.allowance, $11::int) > 0
  ),
  picked AS MATERIALIZED (
    SELECT r.tenant_id, r.environment, r.webhook_id, r.url, r.is_failing, d.row FROM ready r
    CROSS JOIN LATERAL (
      SELECT d.ctid AS row FROM deliveries d
      WHERE d.status = 'PENDING' AND ${samePartition("d", "r")} AND d.webhook_id = r.webhook_id
        AND d.next_attempt_at <= ${now} - make_interval(secs => $12::float8) AND ${isFree} AND d.requested_at IS NULL
      ORDER BY d.next_attempt_at
      LIMIT CASE WHEN r.is_failing THEN 1 ELSE least(r.allowance, r.share) END
      FOR NO KEY UPDATE SKIP LOCKED
    ) d
    LIMIT $4::int
  ),
  ${leaseAndReturn}
  SELECT walk.*, claimed.*
  FROM (
    SELECT count(*)::int AS steps, (array_agg(ARRAY[tenant_id, environment::text, webhook_id] ORDER BY step DESC))[1:1] AS position
    FROM waiting
  ) walk
  LEFT JOIN claimed ON true`,
};

/** Of each webhook, so that one that hangs keeps none of the others waiting. */
const requestedUnderWay = 5;

/**
 * Claims attempts that a person asked for, apart from every schedule: of a delivery in any status,
 * and also while its webhook pauses or is disabled. Those of each webhook that were asked for first
 * have their turn.
 * $4 rows at most, $5 seconds since they were asked for.
 */
export const claimRequestedStatement: Statement = {
  name: "claim_requested_attempts",
  text: `
  WITH ranked AS MATERIALIZED (
    SELECT d.ctid AS row, row_number() OVER (PARTITION BY d.tenant_id, d.environment, d.webhook_id ORDER BY d.requested_at, d.id) AS place
    FROM deliveries d WHERE d.requested_at IS NOT NULL
  ),
  picked AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, w.url, false AS is_failing, d.ctid AS row FROM ranked r
    JOIN deliveries d ON d.ctid = r.row
    JOIN webhooks w ON ${samePartition("w", "d")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
    WHERE r.place <= ${requestedUnderWay} AND ${isFree} AND d.requested_at IS NOT NULL
      AND ($5::float8 = 0 OR d.requested_at <= ${now} - make_interval(secs => $5::float8))
    LIMIT $4::int
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ),
  ${leaseAndReturn}
  SELECT * FROM claimed`,
};

/**
 * The same for one delivery, $4 $5 $6 (tenant, environment, id), if it was asked for, or is due and
 * its webhook ready.
 */
export const claimOneStatement: Statement = {
  name: "claim_delivery",
  text: `
  WITH picked AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, w.url, d.ctid AS row,
      w.consecutive_failures >= ${probeAfterFailures} AND d.requested_at IS NULL AS is_failing
    FROM deliveries d
    JOIN webhooks w ON ${samePartition("w", "d")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
    WHERE d.tenant_id = $4::text AND d.environment = $5::"Environment" AND d.id = $6::text
      AND ${isFree} AND (d.requested_at IS NOT NULL OR d.status = 'PENDING' AND d.next_attempt_at <= ${now} AND ${isReady})
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ),
  ${leaseAndReturn}
  SELECT * FROM claimed`,
};

/**
 * Where a delivery stands, and when it is worth asking again: in a second, where it is due and
 * waits for something else.
 * $1 now, $2 $3 $4 tenant, environment, id.
 */
export const deliveryStateStatement: Statement = {
  name: "delivery_state",
  text: `
  SELECT status, CASE WHEN due_at > ${now} THEN due_at ELSE ${now} + interval '1 second' END AS retry_at
  FROM (
    SELECT d.status, greatest(
        d.next_attempt_at,
        CASE WHEN d.lease_expires_at > ${now} THEN d.lease_expires_at END,
        CASE WHEN w.consecutive_failures >= ${probeAfterFailures} THEN w.probe_after END
      ) AS due_at
    FROM deliveries d
    JOIN webhooks w ON ${samePartition("w", "d")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
    WHERE d.tenant_id = $2::text AND d.environment = $3::"Environment" AND d.id = $4::text
  ) delivery`,
};
