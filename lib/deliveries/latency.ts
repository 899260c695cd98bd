import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";

/**
 * The statement is run with each refresh of a page, so it reads few rows. A first attempt has a row
 * of its own if it was a test or had a reply, and only then is that row looked up.
 */
const mostDeliveries = 500;

const latencyStatement = sql(
  "latency_of_webhook",
  { tenantId: "text", environment: "Environment", webhookId: "text" },
  (p) => `
  SELECT count(ms)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_disc(0.95) WITHIN GROUP (ORDER BY ms) AS p95
  FROM (
    SELECT coalesce(first_duration_ms, (
      SELECT duration_ms FROM delivery_attempts a
      WHERE a.tenant_id = d.tenant_id AND a.environment = d.environment AND a.delivery_id = d.id AND a.number = 1
        AND d.status = 'DELIVERED' AND d.attempt_count = 1
    )) AS ms
    FROM (
      SELECT tenant_id, environment, id, status, attempt_count, first_duration_ms FROM deliveries
      WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND webhook_id = ${p.webhookId}
      ORDER BY id DESC LIMIT ${mostDeliveries}
    ) AS d
  ) AS latest`,
);

/** In milliseconds, of `count` attempts. */
export type Latency = { count: number; p50: number; p95: number };

/**
 * How long a receiver takes to respond: of the newest deliveries, those whose first attempt
 * succeeded, test events included. Null if there is none.
 */
export async function latencyOfWebhook(caller: Caller, webhookId: string): Promise<Latency | null> {
  const [found] = await readRows<Latency>(
    latencyStatement({ ...caller.partition, webhookId }),
    caller,
  );
  return found && found.count > 0 ? found : null;
}
