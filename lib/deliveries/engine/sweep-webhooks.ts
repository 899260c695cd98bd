import type { Partition } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { sql, timeOf } from "@/lib/platform/sql";
import { disableWebhook, holdDeliveries } from "@/lib/webhooks/disable";
import { disableAfterFailures } from "@/lib/webhooks/health";

/**
 * Webhooks whose disabling is unfinished after a crash or a concurrent change: their receiver is gone,
 * or they have too many failures, or deliveries that should be held.
 */
const unfinishedStatement = sql(
  "unfinished_webhooks",
  { now: "clock", limit: "int", except: "text[]" },
  (p) => `
  SELECT w.tenant_id AS "tenantId", w.environment, w.id, w.status = 'ENABLED' AS "isEnabled", coalesce(w.gone_version = w.updated_at, false) AS "isGone" FROM webhooks w
  WHERE ${isNotMoving("w.tenant_id")} AND w.id <> ALL (${p.except}) AND (w.status = 'ENABLED' AND (w.consecutive_failures >= ${disableAfterFailures} OR w.gone_version = w.updated_at)
    OR w.status = 'DISABLED' AND w.deleted_at IS NULL AND EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.status = 'PENDING' AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.webhook_id = w.id
        AND d.requested_at IS NULL AND (d.lease_expires_at IS NULL OR d.lease_expires_at <= ${timeOf(p.now)})
    ))
  LIMIT ${p.limit}`,
);

type Unfinished = Partition & { id: string; isEnabled: boolean; isGone: boolean };

const leftOutWebhooks = leaveOut(
  "a webhook could not be disabled completely and will be tried again",
);

/**
 * Finishes disabling webhooks after a crash, or when there are many deliveries to hold.
 * @returns how many webhooks it processed, or `limit` if one of them has more deliveries to hold
 */
export async function sweepWebhooks(limit: number): Promise<number> {
  const rows = await runSql<Unfinished>(
    unfinishedStatement({ limit, except: leftOutWebhooks.ids() }),
  );
  let isMore = false;
  for (const { id, isEnabled, isGone, ...partition } of rows)
    await leftOutWebhooks.attempt(id, { ...partition, webhookId: id }, async () => {
      if (isEnabled) await disableWebhook(partition, id, isGone ? "GONE" : "CONSECUTIVE_FAILURES");
      else if (await holdDeliveries(partition, id)) isMore = true;
    });
  return isMore ? limit : rows.length;
}
