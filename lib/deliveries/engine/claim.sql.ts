import { fewRowsOf, type References, sql } from "@/lib/platform/sql";
import { disableAfterFailures, probeAfterFailures } from "@/lib/webhooks/health";

// A claim changes only the two lease columns. They are not indexed, so it writes no index entries.
// A row in flight keeps its `next_attempt_at`, so it is due again when its lease ends without a
// result.

/** `leaseHolder` identifies the claim. */
const claimParameters = { now: "clock", leaseHolder: "text", leaseSeconds: "float8" } as const;

type ClaimReferences = References<typeof claimParameters>;

/**
 * Columns round to milliseconds, so the time in a row that was just written can be half a
 * millisecond ahead of `now()`.
 */
const nowOf = (clock: string) => `coalesce(${clock}, now() + interval '1 millisecond')`;

const isFree = (now: string) => `(d.lease_expires_at IS NULL OR d.lease_expires_at <= ${now})`;

/** Whether a webhook is enabled and, if it keeps failing, its pause is over. */
const isReady = (
  now: string,
) => `w.status = 'ENABLED' AND w.consecutive_failures < ${disableAfterFailures}
  AND (w.consecutive_failures < ${probeAfterFailures} OR w.probe_after IS NULL OR w.probe_after <= ${now})`;

const sameRow = (a: string, b: string) =>
  `${samePartition(a, b)} AND ${a}.webhook_id = ${b}.webhook_id AND ${a}.id = ${b}.id`;

const samePartition = (a: string, b: string) =>
  `${a}.tenant_id = ${b}.tenant_id AND ${a}.environment = ${b}.environment`;

const millisecondsUntil = (time: string, now: string) =>
  `(1000 * extract(epoch FROM ${time} - ${now}))::float8`;

/** What a claim needs to know of a webhook, for `picked`. */
const webhookColumns = `w.url, w.sealed_headers, w.accept_replies, w.on_exhausted = 'hold' AS holds_exhausted, ${isPaced("w")} AS is_paced`;

/**
 * Leases the rows of `picked`, which are locked, and returns what sending needs. Their webhook is
 * compared too, so that any index the planner chooses finds one row, even without statistics. A
 * webhook that keeps failing is reserved by moving `probe_after` past the lease. If two claims
 * found it ready, the second one sees that here and takes nothing. A webhook whose row is locked is
 * skipped, so no claim waits for it.
 */
function leaseAndReturn(p: ClaimReferences): string {
  const now = nowOf(p.now);
  return `
  probe AS (
    UPDATE webhooks target SET probe_after = ${now} + make_interval(secs => ${p.leaseSeconds})
    FROM (
      SELECT w.tenant_id, w.environment, w.id FROM picked p
      JOIN webhooks w ON ${samePartition("w", "p")} AND w.id = p.webhook_id
      WHERE p.is_failing AND ${isReady(now)}
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ) w
    WHERE ${samePartition("target", "w")} AND target.id = w.id
    RETURNING target.tenant_id, target.environment, target.id
  ),
  leased AS (
    UPDATE deliveries d SET lease_holder = ${p.leaseHolder}, lease_expires_at = ${now} + make_interval(secs => ${p.leaseSeconds})
    FROM ${fewRowsOf("picked")} p
    WHERE ${sameRow("d", "p")}
      AND (NOT p.is_failing OR EXISTS (SELECT 1 FROM probe w WHERE ${samePartition("w", "p")} AND w.id = p.webhook_id))
    RETURNING d.tenant_id, d.environment, d.id, d.webhook_id, d.event_id, d.event_type, d.attempt_count, d.automatic_count,
      d.requested_trigger, d.conversation_id, d.traceparent, p.url, p.sealed_headers, p.accept_replies, p.holds_exhausted, p.is_failing AS is_probe
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
}

/**
 * How many due deliveries of a webhook with ordering a claim reads at most, to find those that are
 * the first of their lanes.
 */
const readPerOrderedWebhook = 128;

/** Seconds until a webhook is checked again whose row another transaction has locked. */
const lockedSeconds = 0.05;

const pickedColumns = (r: string) =>
  `${r}.tenant_id, ${r}.environment, ${r}.webhook_id, ${r}.url, ${r}.sealed_headers, ${r}.accept_replies, ${r}.holds_exhausted, ${r}.is_paced, ${r}.is_failing`;

const nextWaiting = (after: string) => `
  SELECT d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at FROM deliveries d
  WHERE d.status = 'PENDING' AND (d.tenant_id, d.environment, d.webhook_id) > (${after})
  ORDER BY d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at LIMIT 1`;

/**
 * Claims for many webhooks at a time, so that none waits for another's backlog. Candidates are the
 * webhooks of the oldest due rows, for speed, and those that a round-robin scan of all waiting
 * webhooks reaches next, for fairness. Each step of the scan is one index lookup, however many rows
 * a webhook has. Every candidate gets an equal share of the batch, up to its allowance, which is
 * how many more deliveries it may have in flight. Returns at least one row, even if nothing was
 * claimed. Each row has the scan's new position.
 */
export const claimBatchStatement = sql(
  "claim_deliveries",
  {
    ...claimParameters,
    limit: "int",
    // Where the scan is, and how many webhooks it visits.
    afterTenantId: "text",
    afterEnvironment: "Environment",
    afterWebhookId: "text",
    steps: "int",
    // Webhooks and their allowances, and the allowance of all others.
    webhookIds: "text[]",
    allowances: "int[]",
    defaultAllowance: "int",
    overdueSeconds: "float8",
  },
  (p) => {
    const now = nowOf(p.now);
    const dueAt = `${now} - make_interval(secs => ${p.overdueSeconds})`;
    return `
  WITH RECURSIVE waiting AS (
    (SELECT n.*, 1 AS step FROM (${nextWaiting(`${p.afterTenantId}, ${p.afterEnvironment}, ${p.afterWebhookId}`)}) n)
    UNION ALL
    SELECT n.*, w.step + 1 FROM waiting w
    CROSS JOIN LATERAL (${nextWaiting("w.tenant_id, w.environment, w.webhook_id")}) n
    WHERE w.step < ${p.steps}
  ),
  oldest AS (
    SELECT d.tenant_id, d.environment, d.webhook_id FROM deliveries d
    WHERE d.status = 'PENDING' AND d.next_attempt_at <= ${dueAt} AND ${isFree(now)}
    ORDER BY d.next_attempt_at LIMIT ${p.steps}
  ),
  candidate AS (
    SELECT tenant_id, environment, webhook_id FROM oldest
    UNION
    SELECT tenant_id, environment, webhook_id FROM waiting WHERE next_attempt_at <= ${dueAt}
  ),
  ready AS MATERIALIZED (
    SELECT w.tenant_id, w.environment, w.id AS webhook_id, w.url, w.consecutive_failures >= ${probeAfterFailures} AS is_failing,
      coalesce(b.allowance, ${p.defaultAllowance}) AS allowance, greatest(1, ${p.limit} / (count(*) OVER ())::int) AS share
    FROM candidate c
    JOIN webhooks w ON ${samePartition("w", "c")} AND w.id = c.webhook_id
    LEFT JOIN unnest(${p.webhookIds}, ${p.allowances}) AS b (id, allowance) ON b.id = w.id
    WHERE ${isReady(now)} AND coalesce(b.allowance, ${p.defaultAllowance}) > 0
  ),
  picked AS MATERIALIZED (
    SELECT r.tenant_id, r.environment, r.webhook_id, r.url, r.is_failing, d.id FROM ready r
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.status = 'PENDING' AND ${samePartition("d", "r")} AND d.webhook_id = r.webhook_id
        AND d.next_attempt_at <= ${dueAt} AND ${isFree(now)} AND d.requested_at IS NULL
      ORDER BY d.next_attempt_at
      LIMIT CASE WHEN r.is_failing THEN 1 ELSE least(r.allowance, r.share) END
      FOR NO KEY UPDATE SKIP LOCKED
    ) d
    LIMIT ${p.limit}
  ),
  ${leaseAndReturn(p)}
  SELECT scan.*, claimed.*
  FROM (
    SELECT count(*)::int AS steps, (array_agg(ARRAY[tenant_id, environment::text, webhook_id] ORDER BY step DESC))[1:1] AS position
    FROM waiting
  ) scan
  LEFT JOIN claimed ON true`;
  },
);

/**
 * The maximum number of requested attempts in flight per webhook, so that a webhook that hangs does
 * not delay the others.
 */
const requestedInFlight = 5;

/**
 * Claims attempts that a user requested, independently of every schedule. The delivery may have any
 * status, and its webhook may be paused or disabled. Takes the oldest requests of each webhook
 * first.
 */
export const claimRequestedStatement = sql(
  "claim_requested_attempts",
  {
    ...claimParameters,
    limit: "int",
    /** The minimum time since the request. */
    overdueSeconds: "float8",
  },
  (p) => {
    const now = nowOf(p.now);
    return `
  WITH ranked AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.id, ${isFree(now)} AS is_free,
      row_number() OVER (PARTITION BY d.tenant_id, d.environment, d.webhook_id ORDER BY d.requested_at, d.id) AS place
    FROM deliveries d WHERE d.requested_at IS NOT NULL
  ),
  picked AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, w.url, false AS is_failing, d.id FROM ${fewRowsOf(`ranked WHERE place <= ${requestedInFlight} AND is_free`)} r
    JOIN deliveries d ON ${sameRow("d", "r")}
    JOIN webhooks w ON ${samePartition("w", "d")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
    WHERE ${isFree(now)} AND d.requested_at IS NOT NULL
      AND (${p.overdueSeconds} = 0 OR d.requested_at <= ${now} - make_interval(secs => ${p.overdueSeconds}))
    LIMIT ${p.limit}
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ),
  ${leaseAndReturn(p)}
  SELECT * FROM claimed`;
  },
);

const oneDelivery = { tenantId: "text", environment: "Environment", id: "text" } as const;

/** Claims one delivery, if an attempt was requested, or if it is due and its webhook is ready. */
export const claimOneStatement = sql(
  "claim_delivery",
  { ...claimParameters, ...oneDelivery },
  (p) => {
    const now = nowOf(p.now);
    return `
  WITH picked AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, w.url, d.id,
      w.consecutive_failures >= ${probeAfterFailures} AND d.requested_at IS NULL AS is_failing
    FROM deliveries d
    JOIN webhooks w ON ${samePartition("w", "d")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
    WHERE d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = ${p.id}
      AND ${isFree(now)} AND (d.requested_at IS NOT NULL OR d.status = 'PENDING' AND d.next_attempt_at <= ${now} AND ${isReady(now)})
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ),
  ${leaseAndReturn(p)}
  SELECT * FROM claimed`;
  },
);

/**
 * A delivery's status, and when to check again: in one second, if it is due but cannot be sent yet.
 */
export const deliveryStateStatement = sql(
  "delivery_state",
  { now: "clock", ...oneDelivery },
  (p) => {
    const now = nowOf(p.now);
    return `
  SELECT status, CASE WHEN due_at > ${now} THEN due_at ELSE ${now} + interval '1 second' END AS retry_at
  FROM (
    SELECT d.status, greatest(
        d.next_attempt_at,
        CASE WHEN d.lease_expires_at > ${now} THEN d.lease_expires_at END,
        CASE WHEN w.consecutive_failures >= ${probeAfterFailures} THEN w.probe_after END
      ) AS due_at
    FROM deliveries d
    JOIN webhooks w ON ${samePartition("w", "d")} AND w.id = d.webhook_id AND w.deleted_at IS NULL
    WHERE d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = ${p.id}
  ) delivery`;
  },
);
