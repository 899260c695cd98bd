import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";

/** The statement is run with each refresh of a page, so it reads few rows. */
const mostDeliveries = 500;

const latencyStatement = sql(
  "latency_of_webhook",
  { tenantId: "text", environment: "Environment", webhookId: "text" },
  (p) => `
  SELECT count(ms)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_disc(0.95) WITHIN GROUP (ORDER BY ms) AS p95
  FROM (
    SELECT first_duration_ms AS ms FROM deliveries
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND webhook_id = ${p.webhookId}
    ORDER BY id DESC LIMIT ${mostDeliveries}
  ) AS latest`,
);

/** In milliseconds, of `count` attempts. */
export type Latency = { count: number; p50: number; p95: number };

/**
 * How long a receiver takes to respond: of the newest deliveries, those whose first attempt
 * succeeded. Null if there is none.
 */
export async function latencyOfWebhook(caller: Caller, webhookId: string): Promise<Latency | null> {
  const [found] = await readRows<Latency>(
    latencyStatement({ ...caller.partition, webhookId }),
    caller,
  );
  return found && found.count > 0 ? found : null;
}
