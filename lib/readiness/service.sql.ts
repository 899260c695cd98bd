import { sql } from "@/lib/platform/sql";
import { probeAfterFailures } from "@/lib/webhooks/health";

/**
 * Waiting webhooks that are checked. Each costs one index lookup, however many deliveries it has.
 */
const maximumWebhooks = 1_000;

const firstWaiting = (after: string) => `
  SELECT d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at FROM deliveries d
  WHERE d.status = 'PENDING' AND (d.tenant_id, d.environment, d.webhook_id) > (${after})
  ORDER BY d.tenant_id, d.environment, d.webhook_id, d.next_attempt_at LIMIT 1`;

/** What else waits to be worked off, up to `limit` rows of a kind. */
export const backlogsStatement = sql(
  "backlogs",
  { limit: "int" },
  (p) => `
  SELECT documents, mails,
    coalesce(extract(epoch FROM clock_timestamp() - waiting_since), 0)::float8 AS "oldestDocumentSeconds",
    coalesce(extract(epoch FROM clock_timestamp() - due_since), 0)::float8 AS "oldestMailSeconds"
  FROM (
    SELECT count(*)::int AS documents, min(created_at) AS waiting_since
    FROM (SELECT created_at FROM documents WHERE status = 'PENDING' LIMIT ${p.limit}) AS counted
  ) AS document, (
    SELECT count(*)::int AS mails, min(next_attempt_at) AS due_since
    FROM (
      SELECT next_attempt_at FROM mails WHERE status = 'PENDING' AND next_attempt_at <= clock_timestamp()
      ORDER BY next_attempt_at LIMIT ${p.limit}
    ) AS counted
  ) AS mail`,
);

/**
 * The state of all deliveries. At most `limit` rows of a kind are counted, so that the cost does
 * not depend on how many wait. Those in flight are counted among the `limit` that have been due the
 * longest. The age excludes deliveries that wait because their own webhook keeps failing, or has a
 * limit per second and was sent something within a minute, because nothing can send those sooner.
 */
export const deliveryReadinessStatement = sql(
  "delivery_readiness",
  { limit: "int" },
  (p) => `
  WITH RECURSIVE waiting AS (
    (SELECT n.*, 1 AS step FROM (${firstWaiting(`''::text, 'live'::"Environment", ''::text`)}) n)
    UNION ALL
    SELECT n.*, w.step + 1 FROM waiting w
    CROSS JOIN LATERAL (${firstWaiting("w.tenant_id, w.environment, w.webhook_id")}) n
    WHERE w.step < ${maximumWebhooks}
  ),
  oldest AS (
    SELECT min(d.next_attempt_at) AS due_at FROM waiting d
    JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.environment = d.environment AND w.id = d.webhook_id
    WHERE w.status = 'ENABLED' AND w.consecutive_failures < ${probeAfterFailures} AND d.next_attempt_at <= clock_timestamp()
      AND (w.max_per_second IS NULL OR w.next_paced_at IS NULL OR w.next_paced_at <= clock_timestamp() - interval '1 minute')
  ),
  due AS MATERIALIZED (
    SELECT d.lease_expires_at FROM deliveries d WHERE d.status = 'PENDING' AND d.next_attempt_at <= clock_timestamp()
    ORDER BY d.next_attempt_at LIMIT ${p.limit}
  )
  SELECT
    (SELECT coalesce(extract(epoch FROM clock_timestamp() - due_at), 0)::float8 FROM oldest) AS "oldestDueSeconds",
    (SELECT count(*)::int FROM due) AS due,
    (SELECT count(*)::int FROM due WHERE lease_expires_at > clock_timestamp()) AS "inProgress",
    (SELECT count(*)::int FROM (SELECT 1 FROM deliveries WHERE status = 'HELD' LIMIT ${p.limit}) AS counted) AS held`,
);
