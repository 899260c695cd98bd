import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, type References, sql, withoutFlush } from "@/lib/platform/sql";
import { disableAfterFailures, probeAfterFailures } from "@/lib/webhooks/health";
import { isWebhookOf, sameDelivery, samePartition, sameWebhook } from "./joins.sql";
import { keepOrder, waitsForHeld } from "./lanes.sql";
import { burst, isOpen, isPaced, paceAfter } from "./pace.sql";

// A claim changes only the two lease columns. They are not indexed, so it writes no index entries.
// Webhooks with an order (lanes.sql.ts) or a limit per second (pace.sql.ts) cost more. A row in
// flight keeps its `next_attempt_at`, so it is due again when its lease ends without a result. A claim
// is not flushed to disk: if a crash of PostgreSQL undoes it, the delivery is due again immediately.

/** `leaseHolder` identifies the claim. */
const claimParameters = { now: "clock", leaseHolder: "text", leaseSeconds: "float8" } as const;

type ClaimReferences = References<typeof claimParameters>;

/**
 * Columns round to milliseconds, so the time in a row that was just written can be half a
 * millisecond ahead of `now()`.
 */
const nowOf = (clock: string) => `coalesce(${clock}, now() + interval '1 millisecond')`;

export const isFree = (now: string) =>
  `(d.lease_expires_at IS NULL OR d.lease_expires_at <= ${now})`;

/**
 * Whether a delivery `d` that is looked up by its key is due. The status is compared as text, which
 * keeps the planner from an index of everything that waits.
 */
const isDueByKey = (now: string) =>
  `d.status::text = 'PENDING' AND d.next_attempt_at <= ${now} AND d.requested_at IS NULL AND ${isFree(now)}`;

/** Whether a webhook is enabled and, if it keeps failing, its pause is over. */
export const isReady = (
  now: string,
) => `w.status = 'ENABLED' AND w.consecutive_failures < ${disableAfterFailures}
  AND (w.consecutive_failures < ${probeAfterFailures} OR w.probe_after IS NULL OR w.probe_after <= ${now})`;

const milliseconds = (time: string) => `(1000 * extract(epoch FROM ${time}))::float8`;
const millisecondsUntil = (time: string, now: string) => milliseconds(`${time} - ${now}`);

/** What a claim needs to know of a webhook, for `picked`. */
const webhookColumns = `w.url, w.sealed_headers, w.accept_replies, w.signature_scheme, w.ordering = 'conversation' AND w.on_exhausted = 'hold' AS holds_exhausted, ${isPaced("w")} AS is_paced`;

/**
 * Reserves the webhooks of `picked` that are not plain. One that keeps failing is reserved by moving
 * `probe_after` past the lease, and one with a limit per second by moving `next_paced_at`. If two
 * claims found it ready, the second one sees that here and takes nothing. A webhook whose row is
 * locked is skipped, so no claim waits for it.
 */
function reserve(p: ClaimReferences): string {
  const now = nowOf(p.now);
  return `
  reserved AS (
    UPDATE webhooks target SET
      probe_after = CASE WHEN w.is_failing THEN ${now} + make_interval(secs => ${p.leaseSeconds}) ELSE target.probe_after END,
      next_paced_at = CASE WHEN w.is_paced THEN ${paceAfter("target", "w.taken", now)} ELSE target.next_paced_at END
    FROM (
      SELECT w.tenant_id, w.environment, w.id, p.is_failing, p.is_paced, p.taken
      FROM (
        SELECT tenant_id, environment, webhook_id, is_failing, is_paced, count(*) AS taken FROM picked
        WHERE is_failing OR is_paced GROUP BY tenant_id, environment, webhook_id, is_failing, is_paced
      ) p
      JOIN webhooks w ON ${isWebhookOf("w", "p")}
      WHERE (NOT p.is_failing OR ${isReady(now)}) AND ${isOpen("w", now)}
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ) w
    WHERE ${samePartition("target", "w")} AND target.id = w.id
    RETURNING target.tenant_id, target.environment, target.id, target.next_paced_at
  )`;
}

/** Whether a row of `picked` may be taken after `reserve`. */
const isReserved = `(NOT (p.is_failing OR p.is_paced) OR EXISTS (SELECT 1 FROM reserved w WHERE ${isWebhookOf("w", "p")}))`;

/** Whether a webhook `w` is healthy and has neither an order nor a limit per second, as most do. */
const isPlain = `w.status = 'ENABLED' AND w.deleted_at IS NULL AND w.consecutive_failures < ${probeAfterFailures} AND w.ordering <> 'conversation' AND NOT ${isPaced("w")}`;

/**
 * Leases the rows of `picked`, which are locked, and returns what sending needs. Their webhook is
 * compared too, so that any index the planner chooses finds one row, even without statistics.
 * @param columns more to return, beginning with a comma
 */
function leaseAndReturn(p: ClaimReferences, mayTake: string, columns = ""): string {
  const now = nowOf(p.now);
  return `
  leased AS (
    UPDATE deliveries d SET lease_holder = ${p.leaseHolder}, lease_expires_at = ${now} + make_interval(secs => ${p.leaseSeconds})
    FROM ${fewRowsOf("picked")} p
    WHERE ${sameDelivery("d", "p")} AND ${withoutFlush} AND ${mayTake}
    RETURNING d.tenant_id, d.environment, d.id, d.webhook_id, d.event_id, d.event_type, d.attempt_count, d.automatic_count,
      d.requested_trigger, d.conversation_id, d.traceparent, p.url, p.sealed_headers, p.accept_replies, p.signature_scheme, p.holds_exhausted, p.is_paced, p.is_failing AS is_probe${columns}
  ),
  secret AS MATERIALIZED (
    SELECT s.tenant_id, s.environment, s.webhook_id, string_agg(s.ciphertext, ' ' ORDER BY s.version DESC) AS sealed_secrets
    FROM (SELECT DISTINCT tenant_id, environment, webhook_id FROM leased) l
    JOIN webhook_secrets s ON ${sameWebhook("s", "l")}
    WHERE s.expires_at IS NULL OR s.expires_at > ${now}
    GROUP BY s.tenant_id, s.environment, s.webhook_id
  ),
  claimed AS (
    SELECT l.*, e.payload, s.sealed_secrets FROM leased l
    JOIN events e ON ${samePartition("e", "l")} AND e.id = l.event_id
    LEFT JOIN secret s ON ${sameWebhook("s", "l")}
  )`;
}

/** For `leaseAndReturn`: what `claimMoreStatement` needs to continue. */
const continuation = `, p.share, ${milliseconds("d.next_attempt_at")} AS due_ms`;

/**
 * The maximum number of requested attempts in flight per webhook, so that a webhook that hangs does
 * not delay the others.
 */
const requestedInFlight = 5;

/** Whether a requested attempt of a webhook waits for nothing but a limit per second. */
const requestMayStart = (w: string, now: string) => `(
        SELECT coalesce(bool_or(${isFree(now)}), false) AND count(*) FILTER (WHERE NOT ${isFree(now)}) < ${requestedInFlight} FROM deliveries d
        WHERE ${samePartition("d", w)} AND d.webhook_id = ${w}.id AND d.requested_at IS NOT NULL
      )`;

/**
 * How many due deliveries of a webhook with ordering a claim reads at most, to find those that are
 * the first of their lanes.
 */
const readPerOrderedWebhook = 128;

/** How many webhooks a claim considers beyond its limit, in case the deliveries of some are locked. */
const spareTurns = 4;

/** Seconds until a webhook is checked again whose row another transaction has locked. */
const lockedSeconds = 0.05;

const pickedColumns = (r: string) =>
  `${r}.tenant_id, ${r}.environment, ${r}.webhook_id, ${r}.url, ${r}.sealed_headers, ${r}.accept_replies, ${r}.signature_scheme, ${r}.holds_exhausted, ${r}.is_paced, ${r}.is_failing`;

/** A recovered delivery begins a new schedule, but its earlier attempts still count. */
const mayBeRecovered = "d.attempt_count > d.automatic_count";

/** The next due deliveries of a webhook `r`. Locks them, except those that are locked. */
const lockDue = ({ r, due, limit, now }: Record<"r" | "due" | "limit" | "now", string>) => `
  SELECT d.id, d.event_id, d.conversation_id, d.position, d.next_attempt_at, ${mayBeRecovered} AS may_be_recovered FROM deliveries d
  WHERE d.status = 'PENDING' AND ${sameWebhook("d", r)}
    AND ${due} AND ${isFree(now)} AND d.requested_at IS NULL
  ORDER BY d.next_attempt_at
  LIMIT ${limit}
  FOR NO KEY UPDATE SKIP LOCKED`;

const nextWaiting = (after: string) => `
  SELECT d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at FROM deliveries d
  WHERE d.status = 'PENDING' AND (d.tenant_id, d.environment, d.webhook_id) > (${after})
  ORDER BY d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at LIMIT 1`;

/**
 * Claims for many webhooks at a time, so that none waits for another's backlog. Candidates are the
 * webhooks of the oldest due rows, for speed, and those that a round-robin scan of all waiting
 * webhooks reaches next, for fairness. Each step of the scan is one index lookup, however many rows
 * a webhook has. Every candidate gets an equal share of the batch, up to its allowance, which is
 * how many more deliveries it may have in flight. If there is less room than there are webhooks,
 * those with the fewest in flight come first, and then those that have waited longest. Of a webhook
 * with ordering, more due deliveries are read, and those that are not the first of their lanes are
 * parked. A webhook whose limit per second is used up has no share. Returns a row for each delivery,
 * and one that has only the scan's new position, how many deliveries were parked, and the
 * milliseconds until a webhook with a limit per second, or one whose row was locked, can take more.
 * These are in no other row, because pg takes long to parse an array. The deliveries of a plain
 * webhook have its share, and the time at which they were due, for `claimMoreStatement`.
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
    // Webhooks, their allowances and how many of each are in flight, and the allowance of all others.
    webhookIds: "text[]",
    allowances: "int[]",
    inFlight: "int[]",
    defaultAllowance: "int",
    overdueSeconds: "float8",
  },
  (p) => {
    const now = nowOf(p.now);
    const dueAt = `${now} - make_interval(secs => ${p.overdueSeconds})`;
    const dueOf = (r: string, limit: string) =>
      lockDue({ r, due: `d.next_attempt_at <= ${dueAt}`, limit, now });
    return `
  WITH RECURSIVE oldest AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at FROM deliveries d
    WHERE d.status = 'PENDING' AND d.next_attempt_at <= ${dueAt} AND ${isFree(now)}
    ORDER BY d.next_attempt_at LIMIT ${p.steps}
  ),
  waiting AS (
    (SELECT n.*, 1 AS step FROM (${nextWaiting(`${p.afterTenantId}, ${p.afterEnvironment}, ${p.afterWebhookId}`)}) n
    WHERE (SELECT count(*) FROM oldest) >= ${p.steps})
    UNION ALL
    SELECT n.*, w.step + 1 FROM waiting w
    CROSS JOIN LATERAL (${nextWaiting("w.tenant_id, w.environment, w.webhook_id")}) n
    WHERE w.step < ${p.steps}
  ),
  candidate AS MATERIALIZED (
    SELECT tenant_id, environment, webhook_id, min(next_attempt_at) AS due_at FROM (
      SELECT * FROM oldest
      UNION ALL
      SELECT tenant_id, environment, webhook_id, next_attempt_at FROM waiting WHERE next_attempt_at <= ${dueAt}
    ) c GROUP BY tenant_id, environment, webhook_id
  ),
  known AS MATERIALIZED (
    SELECT w.tenant_id, w.environment, w.id AS webhook_id, ${webhookColumns}, w.consecutive_failures >= ${probeAfterFailures} AS is_failing,
      w.ordering = 'conversation' AS is_ordered, ${waitsForHeld("w")} AS waits_for_held,
      least(coalesce(b.allowance, ${p.defaultAllowance}), ${burst("w")}) AS allowance, w.next_paced_at,
      coalesce(b.in_flight, 0) AS in_flight, c.due_at,
      ${isOpen("w", now)} AND NOT (${isPaced("w")} AND ${requestMayStart("w", now)}) AS is_open
    FROM candidate c
    JOIN webhooks w ON ${isWebhookOf("w", "c")}
    LEFT JOIN unnest(${p.webhookIds}, ${p.allowances}, ${p.inFlight}) AS b (id, allowance, in_flight) ON b.id = w.id
    WHERE ${isReady(now)} AND coalesce(b.allowance, ${p.defaultAllowance}) > 0 AND ${isNotMoving("w.tenant_id")}
  ),
  ready AS MATERIALIZED (
    SELECT * FROM (
      SELECT *, CASE WHEN is_failing THEN 1 ELSE least(allowance, greatest(1, ${p.limit} / (count(*) OVER ())::int)) END AS share,
        row_number() OVER (ORDER BY in_flight, due_at) AS turn
      FROM known r
      WHERE is_open AND ((SELECT count(*) FROM candidate) <= ${p.limit} OR EXISTS (
        SELECT 1 FROM deliveries d
        WHERE d.status = 'PENDING' AND ${sameWebhook("d", "r")}
          AND d.next_attempt_at <= ${dueAt} AND ${isFree(now)} AND d.requested_at IS NULL
      ))
    ) r WHERE turn <= ${p.limit} + ${spareTurns}
  ),
  due_in_order AS MATERIALIZED (
    SELECT r.*, d.id, d.event_id, d.conversation_id, d.position, d.next_attempt_at, d.may_be_recovered FROM ready r
    CROSS JOIN LATERAL (${dueOf("r", `${readPerOrderedWebhook}`)}) d
    WHERE r.is_ordered
  ),
  ${keepOrder("due_in_order", now)},
  first_in_order AS (
    SELECT *, row_number() OVER (PARTITION BY tenant_id, environment, webhook_id ORDER BY next_attempt_at, position, event_id) AS place
    FROM placed WHERE is_first AND (SELECT count(*) FROM blocked) IS NOT NULL
  ),
  picked AS MATERIALIZED (
    SELECT * FROM (
      SELECT ${pickedColumns("r")}, CASE WHEN NOT (r.is_failing OR r.is_paced) THEN r.share END AS share, r.turn, d.id FROM ready r CROSS JOIN LATERAL (${dueOf("r", "r.share")}) d
      WHERE NOT r.is_ordered
      UNION ALL
      SELECT ${pickedColumns("f")}, NULL, f.turn, f.id FROM first_in_order f WHERE f.place <= f.share
    ) due
    ORDER BY turn LIMIT ${p.limit}
  ),
  ${reserve(p)},
  ${leaseAndReturn(p, isReserved, continuation)}
  SELECT scan.*, claimed.*
  FROM (
    SELECT count(*)::int AS steps, (array_agg(ARRAY[tenant_id, environment::text, webhook_id] ORDER BY step DESC))[1:1] AS position,
      (SELECT count(*)::int FROM parked) AS parked,
      (SELECT min(${millisecondsUntil("next_paced_at", now)}) FROM (
        SELECT next_paced_at FROM known WHERE NOT is_open AND next_paced_at > ${now}
        UNION ALL
        SELECT CASE WHEN w.id IS NULL THEN ${now} + make_interval(secs => ${lockedSeconds}) WHEN p.is_paced THEN w.next_paced_at END FROM picked p
        LEFT JOIN reserved w ON ${isWebhookOf("w", "p")}
        WHERE p.is_failing OR p.is_paced
      ) later) AS again_ms
    FROM waiting
  ) scan
  FULL JOIN claimed ON false`;
  },
);

/**
 * Takes more from plain webhooks, each from the due time of the last delivery that a claim took.
 * Almost everything before it is in flight or finished. Until a vacuum, the index still has an entry
 * for each version of a finished row, and `claimBatchStatement` reads them all every time. With a
 * long backlog, that takes most of its time.
 */
export const claimMoreStatement = sql(
  "claim_more_deliveries",
  {
    ...claimParameters,
    // One element per webhook.
    tenantIds: "text[]",
    environments: "Environment[]",
    webhookIds: "text[]",
    dueMs: "float8[]",
    shares: "int[]",
  },
  (p) => {
    const now = nowOf(p.now);
    const due = `d.next_attempt_at >= r.due_from AND d.next_attempt_at <= ${now}`;
    return `
  WITH ready AS MATERIALIZED (
    SELECT w.tenant_id, w.environment, w.id AS webhook_id, ${webhookColumns}, false AS is_failing, c.share,
      to_timestamp(c.due_ms / 1000) AS due_from
    FROM unnest(${p.tenantIds}, ${p.environments}, ${p.webhookIds}, ${p.dueMs}, ${p.shares}) AS c (tenant_id, environment, webhook_id, due_ms, share)
    JOIN webhooks w ON ${isWebhookOf("w", "c")}
    WHERE ${isPlain} AND ${isNotMoving("w.tenant_id")}
  ),
  picked AS MATERIALIZED (
    SELECT ${pickedColumns("r")}, r.share, d.id FROM ready r
    CROSS JOIN LATERAL (${lockDue({ r: "r", due, limit: "r.share", now })}) d
  ),
  ${leaseAndReturn(p, "true", continuation)}
  SELECT * FROM claimed`;
  },
);

/**
 * Claims the due deliveries of plain webhooks among those that a notification named, up to the
 * allowance of each webhook. It looks each one up by its key, which takes PostgreSQL a third less time
 * than `claimBatchStatement`. Returns a row for each delivery, or a single one without a delivery.
 * `others` is how many are left for `claimBatchStatement`. Those of webhooks whose allowance is 0 are
 * not locked, so that another worker can claim them meanwhile.
 */
export const claimNamedStatement = sql(
  "claim_named_deliveries",
  {
    ...claimParameters,
    // One element per delivery.
    tenantIds: "text[]",
    environments: "Environment[]",
    ids: "text[]",
    // Webhooks, their allowances, the allowance of all others, and webhooks whose allowance is 0.
    webhookIds: "text[]",
    allowances: "int[]",
    defaultAllowance: "int",
    fullWebhookIds: "text[]",
  },
  (p) => {
    const now = nowOf(p.now);
    return `
  WITH due AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.id, n.place, ${webhookColumns}, ${isPlain} AS is_plain,
      coalesce(b.allowance, ${p.defaultAllowance}) AS allowance
    FROM unnest(${p.tenantIds}, ${p.environments}, ${p.ids}) WITH ORDINALITY AS n (tenant_id, environment, id, place)
    CROSS JOIN LATERAL (
      SELECT d.tenant_id, d.environment, d.webhook_id, d.id FROM deliveries d
      WHERE ${samePartition("d", "n")} AND d.id = n.id
        AND ${isDueByKey(now)} AND d.webhook_id <> ALL (${p.fullWebhookIds})
      LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    ) d
    JOIN webhooks w ON ${isWebhookOf("w", "d")}
    LEFT JOIN unnest(${p.webhookIds}, ${p.allowances}) AS b (id, allowance) ON b.id = w.id
    WHERE ${isNotMoving("d.tenant_id")}
  ),
  picked AS MATERIALIZED (
    SELECT ${pickedColumns("r")}, r.id FROM (
      SELECT *, false AS is_failing, row_number() OVER (PARTITION BY tenant_id, environment, webhook_id ORDER BY place) AS turn FROM due WHERE is_plain
    ) r WHERE r.turn <= r.allowance
  ),
  ${leaseAndReturn(p, "true")}
  SELECT claimed.*, scan.others
  FROM (SELECT (SELECT count(*) FROM due)::int - (SELECT count(*) FROM picked)::int AS others) scan
  LEFT JOIN claimed ON true`;
  },
);

/**
 * Claims attempts that a user requested, independently of every schedule. The delivery may have any
 * status, and its webhook may be paused or disabled. Takes the oldest requests of each webhook
 * first. They wait for a limit per second, and go before what is due. Returns a row for each delivery,
 * and one that has only the milliseconds until a webhook with a limit per second, or one whose row was
 * locked, may have more.
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
  WITH requested AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.id, d.requested_at, ${isFree(now)} AS is_free
    FROM deliveries d WHERE d.requested_at IS NOT NULL AND ${isNotMoving("d.tenant_id")}
  ),
  ranked AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY tenant_id, environment, webhook_id, is_free ORDER BY requested_at, id) AS place,
      count(*) FILTER (WHERE NOT is_free) OVER (PARTITION BY tenant_id, environment, webhook_id) AS in_flight
    FROM requested
  ),
  ready AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.id, d.requested_at, d.place, ${webhookColumns},
      ${isOpen("w", now)} AS is_open, ${burst("w")} AS burst, w.next_paced_at
    FROM ${fewRowsOf(`ranked WHERE is_free AND place <= ${requestedInFlight} - in_flight`)} d
    JOIN webhooks w ON ${isWebhookOf("w", "d")} AND w.deleted_at IS NULL
    WHERE ${p.overdueSeconds} = 0 OR d.requested_at <= ${now} - make_interval(secs => ${p.overdueSeconds})
  ),
  picked AS MATERIALIZED (
    SELECT ${pickedColumns("r")}, d.id
    FROM (SELECT *, false AS is_failing FROM ready WHERE is_open AND place <= coalesce(burst, place)) r
    JOIN deliveries d ON ${sameDelivery("d", "r")}
    WHERE ${isFree(now)} AND d.requested_at IS NOT NULL
    ORDER BY r.place, r.requested_at LIMIT ${p.limit}
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ),
  ${reserve(p)},
  ${leaseAndReturn(p, isReserved)}
  SELECT scan.*, claimed.*
  FROM (
    SELECT min(${millisecondsUntil("at", now)}) AS again_ms FROM (
      SELECT CASE WHEN r.next_paced_at > ${now} THEN r.next_paced_at WHEN w.id IS NULL THEN ${now} + make_interval(secs => ${lockedSeconds}) ELSE w.next_paced_at END AS at
      FROM ready r LEFT JOIN reserved w ON ${isWebhookOf("w", "r")}
      WHERE r.is_paced
    ) later
  ) scan
  FULL JOIN claimed ON false`;
  },
);

const oneDelivery = { tenantId: "text", environment: "Environment", id: "text" } as const;

/**
 * Claims one due delivery of a plain webhook, for which `claimOneStatement` takes PostgreSQL several
 * times as long.
 */
export const claimPlainStatement = sql(
  "claim_plain_delivery",
  { ...claimParameters, ...oneDelivery },
  (p) => {
    const now = nowOf(p.now);
    return `
  UPDATE deliveries d SET lease_holder = ${p.leaseHolder}, lease_expires_at = ${now} + make_interval(secs => ${p.leaseSeconds})
  FROM webhooks w
  WHERE d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = ${p.id}
    AND ${isDueByKey(now)}
    AND w.tenant_id = ${p.tenantId} AND w.environment = ${p.environment} AND w.id = d.webhook_id AND ${isPlain}
    AND ${withoutFlush}
  RETURNING d.tenant_id, d.environment, d.id, d.webhook_id, d.event_id, d.event_type, d.attempt_count, d.automatic_count,
    d.requested_trigger, d.conversation_id, d.traceparent, false AS is_probe, ${webhookColumns},
    (SELECT e.payload FROM events e WHERE e.tenant_id = ${p.tenantId} AND e.environment = ${p.environment} AND e.id = d.event_id) AS payload,
    (SELECT string_agg(s.ciphertext, ' ' ORDER BY s.version DESC) FROM webhook_secrets s
      WHERE s.tenant_id = ${p.tenantId} AND s.environment = ${p.environment} AND s.webhook_id = w.id AND (s.expires_at IS NULL OR s.expires_at > ${now})) AS sealed_secrets`;
  },
);

/**
 * Claims one delivery, if an attempt was requested, or if it is due and its webhook is ready.
 * Returns one row: the delivery, or the milliseconds until a limit per second lets it be sent, or
 * until its webhook, whose row was locked, is checked again.
 */
export const claimOneStatement = sql(
  "claim_delivery",
  { ...claimParameters, ...oneDelivery },
  (p) => {
    const now = nowOf(p.now);
    return `
  WITH found AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.webhook_id, d.id, d.event_id, d.conversation_id, d.position, ${mayBeRecovered} AS may_be_recovered,
      ${webhookColumns}, w.consecutive_failures >= ${probeAfterFailures} AND d.requested_at IS NULL AS is_failing,
      w.ordering = 'conversation' AND d.requested_at IS NULL AS is_ordered, ${waitsForHeld("w")} AS waits_for_held,
      ${isOpen("w", now)} AS is_open, w.next_paced_at
    FROM deliveries d
    JOIN webhooks w ON ${isWebhookOf("w", "d")} AND w.deleted_at IS NULL
    WHERE d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = ${p.id}
      AND ${isFree(now)} AND (d.requested_at IS NOT NULL OR d.status = 'PENDING' AND d.next_attempt_at <= ${now} AND ${isReady(now)})
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ),
  ${keepOrder("(SELECT * FROM found WHERE is_ordered AND is_open)", now)},
  picked AS MATERIALIZED (
    SELECT ${pickedColumns("f")}, f.id FROM found f
    WHERE f.is_open AND (NOT f.is_ordered OR EXISTS (SELECT 1 FROM placed WHERE is_first AND (SELECT count(*) FROM blocked) IS NOT NULL))
  ),
  ${reserve(p)},
  ${leaseAndReturn(p, isReserved)}
  SELECT claimed.*, scan.again_ms
  FROM (SELECT (
    SELECT CASE WHEN NOT is_open THEN ${millisecondsUntil("next_paced_at", now)} WHEN NOT EXISTS (SELECT FROM reserved) AND (is_failing OR is_paced) THEN ${lockedSeconds * 1_000} END FROM found
  ) AS again_ms) scan
  LEFT JOIN claimed ON true`;
  },
);

/** The deliveries ahead of one are counted up to this number. */
const countedAhead = 1_000;

/**
 * A delivery's status, and when to check again. A delivery that is due but cannot be sent yet is
 * checked again in one second, and a parked one never. With a limit per second, a delivery is checked
 * when those ahead of it should have been sent, so that they do not all check at the same time.
 */
export const deliveryStateStatement = sql(
  "delivery_state",
  { now: "clock", ...oneDelivery },
  (p) => {
    const now = nowOf(p.now);
    const earlier = `(
          SELECT count(*) FROM (
            SELECT 1 FROM deliveries e
            WHERE e.status = 'PENDING' AND ${sameWebhook("e", "d")} AND e.next_attempt_at < d.next_attempt_at
            LIMIT ${countedAhead}
          ) ahead
        )`;
    return `
  SELECT status, CASE WHEN is_parked THEN NULL WHEN due_at > ${now} THEN due_at ELSE ${now} + interval '1 second' END AS retry_at
  FROM (
    SELECT d.status, d.next_attempt_at IS NULL AND d.requested_at IS NULL AS is_parked, greatest(
        d.next_attempt_at,
        CASE WHEN d.lease_expires_at > ${now} THEN d.lease_expires_at END,
        CASE WHEN w.consecutive_failures >= ${probeAfterFailures} THEN w.probe_after END,
        CASE WHEN NOT ${isOpen("w", now)} THEN ${paceAfter("w", earlier, now)} END
      ) AS due_at
    FROM deliveries d
    JOIN webhooks w ON ${isWebhookOf("w", "d")} AND w.deleted_at IS NULL
    WHERE d.tenant_id = ${p.tenantId} AND d.environment = ${p.environment} AND d.id = ${p.id}
  ) delivery`;
  },
);
