import type { Partition } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";
import { disableWebhook, holdDeliveries } from "@/lib/webhooks/disable";
import { disableAfterFailures } from "@/lib/webhooks/health";

/**
 * Webhooks whose disabling is unfinished after a crash or a concurrent change: they have too many
 * failures, or deliveries that should be held.
 */
const unfinishedStatement = sql(
  "unfinished_webhooks",
  { now: "clock", limit: "int" },
  (p) => `
  SELECT w.tenant_id, w.environment, w.id, w.status = 'ENABLED' AS is_enabled FROM webhooks w
  WHERE ${isNotMoving("w.tenant_id")} AND (w.status = 'ENABLED' AND w.consecutive_failures >= ${disableAfterFailures}
    OR w.status = 'DISABLED' AND w.deleted_at IS NULL AND EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.status = 'PENDING' AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.webhook_id = w.id
        AND d.requested_at IS NULL AND (d.lease_expires_at IS NULL OR d.lease_expires_at <= ${timeOf(p.now)})
    ))
  LIMIT ${p.limit}`,
);

type Unfinished = {
  tenant_id: string;
  environment: Partition["environment"];
  id: string;
  is_enabled: boolean;
};

/**
 * Finishes disabling webhooks after a crash, or when there are many deliveries to hold.
 * @returns how many webhooks it processed, or `limit` if one of them has more deliveries to hold
 */
export async function sweepWebhooks(limit: number): Promise<number> {
  const rows = await runSql<Unfinished>(unfinishedStatement({ limit }));
  let isMore = false;
  for (const { tenant_id: tenantId, environment, id, is_enabled: isEnabled } of rows) {
    if (isEnabled) await disableWebhook({ tenantId, environment }, id, "CONSECUTIVE_FAILURES");
    else isMore = (await holdDeliveries({ tenantId, environment }, id)) || isMore;
  }
  return isMore ? limit : rows.length;
}
