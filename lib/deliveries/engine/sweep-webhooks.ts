import type { Partition } from "@/lib/platform/caller";
import { runStatement, type Statement } from "@/lib/platform/db";
import { currentTime } from "@/lib/platform/time";
import { disableWebhook, holdDeliveries } from "@/lib/webhooks/disable";
import { disableAfterFailures } from "@/lib/webhooks/health";

/**
 * What a crash, or a change at the same moment, can leave behind: too many failures, or deliveries
 * that should be held.
 */
const leftOverStatement: Statement = {
  name: "webhooks_left_over",
  text: `
  SELECT w.tenant_id, w.environment, w.id, w.status = 'ENABLED' AS is_enabled FROM webhooks w
  WHERE w.status = 'ENABLED' AND w.consecutive_failures >= ${disableAfterFailures}
    OR w.status = 'DISABLED' AND w.deleted_at IS NULL AND EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.status = 'PENDING' AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.webhook_id = w.id
        AND d.requested_at IS NULL AND (d.lease_expires_at IS NULL OR d.lease_expires_at <= coalesce($1::timestamptz, now()))
    )
  LIMIT $2::int`,
};

type LeftOver = {
  tenant_id: string;
  environment: Partition["environment"];
  id: string;
  is_enabled: boolean;
};

/**
 * Finishes the disabling of webhooks that was interrupted, or has much to hold.
 * @returns how many webhooks that concerned, or `limit` where one of them has more to hold
 */
export async function sweepWebhooks(limit: number): Promise<number> {
  const rows = await runStatement<LeftOver>(leftOverStatement, [currentTime(), limit]);
  let isMore = false;
  for (const { tenant_id: tenantId, environment, id, is_enabled: isEnabled } of rows) {
    if (isEnabled) await disableWebhook({ tenantId, environment }, id, "CONSECUTIVE_FAILURES");
    else isMore = (await holdDeliveries({ tenantId, environment }, id)) || isMore;
  }
  return isMore ? limit : rows.length;
}
