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

/**
 * The state of all deliveries. At most `limit` rows of a kind are counted, so that the cost does
 * not depend on how many wait. Those in flight are counted among the `limit` that have been due the
 * longest. The age excludes deliveries that wait because their own webhook keeps failing, because
 * nothing can send those sooner.
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
