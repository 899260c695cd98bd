import type { Statement } from "@/lib/platform/db";
import { disableAfterFailures, probeAfterFailures, warnAfterFailures } from "@/lib/webhooks/health";

const now = `coalesce($1::timestamptz, now())`;

const sameRow = (a: string, b: string) =>
  `${a}.tenant_id = ${b}.tenant_id AND ${a}.environment = ${b}.environment AND ${a}.id = ${b}.id`;
const sameWebhook = (a: string, b: string) =>
  `${a}.tenant_id = ${b}.tenant_id AND ${a}.environment = ${b}.environment AND ${a}.webhook_id = ${b}.webhook_id`;
const webhookOf = (w: string, e: string) =>
  `${w}.tenant_id = ${e}.tenant_id AND ${w}.environment = ${e}.environment AND ${w}.id = ${e}.webhook_id`;

/**
 * Records attempts that have ended, in the order of their ending: the deliveries, then the
 * attempts, then the counters of their webhooks, and each of these only for what the one before it
 * wrote. An attempt counts only for the holder of the lease and under the number it was claimed
 * for, so one that ran over its lease changes nothing.
 *
 * The webhooks are locked before all else, one after the other in one order, so that two processes
 * never wait for each other, and so that a failure sees whether its webhook was disabled or enabled
 * meanwhile. One that is well and was so a second ago is left alone: thousands of successes a
 * second then share one write.
 *
 * Failures of attempts that were under way before the webhook was known to fail count, but not to
 * the hundredth: that one is a probe's. A receiver that falls over with a hundred requests at work
 * has not failed for long yet.
 *
 * $1 now, $2 seconds to the next probe, then arrays of the same length: $3 tenants, $4
 * environments, $5 deliveries,
 * $6 webhooks, $7 events, $8 lease holders, $9 attempt numbers, $10 triggers, $11 started at, $12
 * durations, $13 status codes, $14 error codes, $15 responses, $16 is success, $17 is probe, $18
 * the delivery's new status or null for no change, $19 seconds to the next attempt. (Webhook and
 * event add nothing to the identity of a delivery; they make every index that the planner could
 * choose lead to one row, also while it knows nothing of the table yet.) Returns a row for each
 * attempt that was recorded, by its place in the arrays.
 */
export const recordAttemptsStatement: Statement = {
  name: "record_attempts",
  text: `
  WITH ended AS MATERIALIZED (
    SELECT * FROM unnest(
      $3::text[], $4::text[]::"Environment"[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[],
      $10::text[]::"AttemptTrigger"[], $11::timestamptz[], $12::int[], $13::int[], $14::text[], $15::text[], $16::boolean[],
      $17::boolean[], $18::text[]::"DeliveryStatus"[], $19::float8[]
    ) WITH ORDINALITY AS e (
      tenant_id, environment, id, webhook_id, event_id, lease_holder, number, trigger,
      started_at, duration_ms, status_code, error_code, response, is_success, is_probe, new_status, delay_seconds, place
    )
  ),
  locked AS MATERIALIZED (
    SELECT w.tenant_id, w.environment, w.id AS webhook_id, w.status, w.consecutive_failures FROM webhooks w
    JOIN (
      SELECT tenant_id, environment, webhook_id, bool_or(is_success) AS has_success, bool_or(NOT is_success) AS has_failure
      FROM ended GROUP BY tenant_id, environment, webhook_id
    ) e ON ${webhookOf("w", "e")}
    WHERE e.has_failure
      OR w.consecutive_failures > 0 OR w.probe_after IS NOT NULL
      OR w.last_success_at IS NULL OR w.last_success_at <= ${now} - interval '1 second'
    ORDER BY w.tenant_id, w.environment, w.id
    FOR NO KEY UPDATE OF w
  ),
  delivery AS (
    UPDATE deliveries d SET
      status = CASE WHEN e.new_status = 'PENDING' AND w.status = 'DISABLED' THEN 'HELD' ELSE coalesce(e.new_status, d.status) END,
      attempt_count = e.number,
      automatic_count = d.automatic_count + CASE WHEN e.trigger = 'AUTOMATIC' THEN 1 ELSE 0 END,
      next_attempt_at = CASE
        WHEN e.new_status IS NULL THEN d.next_attempt_at
        WHEN e.new_status = 'PENDING' AND w.status = 'ENABLED' THEN ${now} + make_interval(secs => e.delay_seconds)
      END,
      requested_trigger = CASE WHEN e.trigger = 'AUTOMATIC' THEN d.requested_trigger END,
      requested_at = CASE WHEN e.trigger = 'AUTOMATIC' THEN d.requested_at END,
      lease_holder = NULL,
      lease_expires_at = NULL,
      response_class = coalesce(e.status_code / 100, 0),
      updated_at = ${now}
    FROM ended e LEFT JOIN locked w ON ${sameWebhook("w", "e")}
    WHERE ${sameRow("d", "e")} AND d.webhook_id = e.webhook_id AND d.event_id = e.event_id AND d.lease_holder = e.lease_holder AND d.attempt_count = e.number - 1
      AND (e.trigger <> 'AUTOMATIC' OR d.status = 'PENDING')
    RETURNING d.status, d.next_attempt_at, e.*
  ),
  attempt AS (
    INSERT INTO delivery_attempts
      (tenant_id, environment, delivery_id, number, trigger, started_at, duration_ms, status_code, error_code, response)
    SELECT e.tenant_id, e.environment, e.id, e.number, e.trigger, e.started_at, e.duration_ms, e.status_code, e.error_code, e.response
    FROM delivery e
    ON CONFLICT DO NOTHING
    RETURNING tenant_id, environment, delivery_id AS id
  ),
  counted AS (
    SELECT e.tenant_id, e.environment, e.webhook_id, e.started_at, e.place, e.is_success, e.is_probe,
      NOT e.is_success AND e.trigger = 'AUTOMATIC' AS is_failure,
      max(e.place) FILTER (WHERE e.is_success) OVER (PARTITION BY e.tenant_id, e.environment, e.webhook_id) AS last_success
    FROM attempt a JOIN delivery e ON e.id = a.id AND e.tenant_id = a.tenant_id AND e.environment = a.environment
  ),
  tally AS MATERIALIZED (
    SELECT tenant_id, environment, webhook_id, bool_or(is_success) AS has_success, bool_or(is_failure) AS has_failure,
      count(*) FILTER (WHERE is_failure AND NOT is_probe AND place > coalesce(last_success, 0))::int AS early_failures,
      count(*) FILTER (WHERE is_failure AND is_probe AND place > coalesce(last_success, 0))::int AS probe_failures
    FROM counted GROUP BY tenant_id, environment, webhook_id
    HAVING bool_or(is_success OR is_failure)
  ),
  streak AS MATERIALIZED (
    SELECT s.*, s.probe_failures
      + greatest(s.failures_before, least(s.failures_before + s.early_failures, ${disableAfterFailures - 1})) AS failures
    FROM (
      SELECT t.*, CASE WHEN t.has_success THEN 0 ELSE w.consecutive_failures END AS failures_before
      FROM tally t JOIN locked w ON ${sameWebhook("w", "t")}
    ) s
  ),
  counter AS (
    UPDATE webhooks w SET
      consecutive_failures = s.failures,
      probe_after = CASE WHEN s.failures >= ${probeAfterFailures} THEN ${now} + make_interval(secs => $2::float8) END,
      last_success_at = CASE WHEN s.has_success THEN ${now} ELSE w.last_success_at END,
      last_failure_at = CASE WHEN s.has_failure THEN ${now} ELSE w.last_failure_at END
    FROM streak s WHERE ${webhookOf("w", "s")}
    RETURNING w.tenant_id, w.environment, w.id AS webhook_id, w.consecutive_failures
  ),
  warning AS (
    INSERT INTO webhook_warnings (tenant_id, environment, webhook_id, failures, created_at)
    SELECT s.tenant_id, s.environment, s.webhook_id, mark, ${now}
    FROM streak s JOIN unnest(ARRAY[${warnAfterFailures.join(", ")}]) AS mark ON s.failures_before < mark AND s.failures >= mark
    ON CONFLICT DO NOTHING
  ),
  -- For the tenants' usage. After the webhooks, so that everyone takes these locks in the same order.
  attempt_day AS (
    INSERT INTO delivery_days AS a (tenant_id, environment, day, attempts, failures)
    SELECT tenant_id, environment, (started_at AT TIME ZONE 'UTC')::date AS day, count(*), count(*) FILTER (WHERE NOT is_success)
    FROM counted WHERE (SELECT count(*) FROM counter) IS NOT NULL
    GROUP BY tenant_id, environment, day ORDER BY tenant_id, environment, day
    ON CONFLICT (tenant_id, environment, day) DO UPDATE SET
      attempts = a.attempts + excluded.attempts, failures = a.failures + excluded.failures
    RETURNING 1
  ),
  -- For the eyes of those who look after a webhook.
  attempt_hour AS (
    INSERT INTO webhook_hours AS a (tenant_id, environment, webhook_id, hour, attempts, failures)
    SELECT tenant_id, environment, webhook_id, date_trunc('hour', started_at, 'UTC') AS hour, count(*), count(*) FILTER (WHERE NOT is_success)
    FROM counted WHERE (SELECT count(*) FROM attempt_day) IS NOT NULL
    GROUP BY tenant_id, environment, webhook_id, hour ORDER BY tenant_id, environment, webhook_id, hour
    ON CONFLICT (tenant_id, environment, webhook_id, hour) DO UPDATE SET
      attempts = a.attempts + excluded.attempts, failures = a.failures + excluded.failures
  )
  SELECT d.place::int AS place, d.status, d.next_attempt_at, coalesce(c.consecutive_failures, 0) AS consecutive_failures
  FROM delivery d LEFT JOIN counter c USING (webhook_id, tenant_id, environment)`,
};
