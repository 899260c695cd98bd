import { queueAlert } from "@/lib/alerts/service";
import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMailToAdmins } from "@/lib/mail/service";
import type { NotificationChoice } from "@/lib/notifications/choices";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";
import { now } from "@/lib/platform/time";
import { lockRow } from "@/lib/resources/lock-row";
import type { WebhookModel } from "@/prisma/generated/models";
import { disableAfterFailures } from "./health";
import { toWebhook } from "./stored-webhook";

export type AutomaticDisabling = "CONSECUTIVE_FAILURES" | "GONE";

/**
 * Disables a webhook because of its receiver, and holds waiting deliveries. Notifies the tenant's
 * other webhooks, its owners and admins by mail, and its chat with an alert. Harmless to call twice
 * or too late: the row is locked and checked again.
 * @param goneUrl the URL that is gone. If the webhook has another one by now, nothing happens. Without
 * it, the webhook must be unchanged since a 410 was recorded
 */
export async function disableWebhook(
  partition: Partition,
  webhookId: string,
  reason: AutomaticDisabling,
  goneUrl?: string,
): Promise<void> {
  await mutate(system(partition), async (caller) => {
    const key = { ...partition, id: webhookId };
    await lockRow(caller, "webhooks", webhookId);
    const row = await caller.db.webhook.findUnique({
      where: { tenantId_environment_id: key, deletedAt: null },
    });
    if (row?.status !== "ENABLED") return;
    if (reason === "CONSECUTIVE_FAILURES" && row.consecutiveFailures < disableAfterFailures) return;
    if (reason === "GONE" && !isStillGone(row, goneUrl)) return;

    const at = now();
    const disabled = await caller.db.webhook.update({
      where: { tenantId_environment_id: key },
      data: {
        status: "DISABLED",
        disabledReason: reason,
        disabledAt: at,
        probeAfter: null,
        goneVersion: null,
        updatedAt: at,
      },
      include: { secrets: { orderBy: { version: "desc" }, take: 2 } },
    });
    const { consecutiveFailures } = row;
    const { tenantId, environment } = partition;
    const mail = {
      kind: "webhook-disabled",
      ...{ environment, webhookId, webhookUrl: row.url, reason, consecutiveFailures },
    } as const;
    if (mailTransport() !== "none")
      await queueMailToAdmins(caller.db, tenantId, mail, {
        unlessMuted: "webhooks:mail" satisfies NotificationChoice,
      });
    await queueAlert(caller.db, tenantId, mail);
    await recordEvent(caller, "webhook.disabled", toWebhook(disabled), {
      exceptWebhookId: webhookId,
    });
    await recordAudit(caller, {
      action: "webhook.disabled",
      targetId: webhookId,
      changes: { after: { disabledReason: reason, consecutiveFailures } },
    });
  });
  await holdDeliveries(partition, webhookId);
}

const isStillGone = ({ url, updatedAt, goneVersion }: WebhookModel, goneUrl?: string): boolean =>
  goneUrl === undefined ? goneVersion?.getTime() === updatedAt.getTime() : url === goneUrl;

const holdBatchSize = 500;
const maximumHoldBatches = 20;

/**
 * `FOR SHARE` waits for a transaction that is enabling the webhook again, and then finds nothing to
 * hold. Deliveries in flight are left alone: they are held when the attempt ends, or here once the
 * lease is over. So are deliveries that a user asked to send.
 */
const holdStatement = sql(
  "hold_deliveries",
  { now: "clock", tenantId: "text", environment: "Environment", webhookId: "text", limit: "int" },
  (p) => `
  WITH disabled AS MATERIALIZED (
    SELECT tenant_id, environment, id FROM webhooks
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.webhookId} AND status = 'DISABLED' AND deleted_at IS NULL
    FOR SHARE
  ),
  waiting AS MATERIALIZED (
    SELECT d.tenant_id, d.environment, d.id FROM disabled w
    JOIN deliveries d ON d.status = 'PENDING' AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.webhook_id = w.id
    WHERE d.requested_at IS NULL AND (d.lease_expires_at IS NULL OR d.lease_expires_at <= ${timeOf(p.now)})
    LIMIT ${p.limit}
    FOR NO KEY UPDATE OF d SKIP LOCKED
  )
  UPDATE deliveries d
  SET status = 'HELD', next_attempt_at = NULL, lease_holder = NULL, lease_expires_at = NULL, updated_at = ${timeOf(p.now)}
  FROM ${fewRowsOf("waiting")} AS waiting
  WHERE d.tenant_id = waiting.tenant_id AND d.environment = waiting.environment AND d.id = waiting.id
  RETURNING 1`,
);

/**
 * Holds the waiting deliveries of a disabled webhook, in batches, and only a few of them: stopping a
 * worker waits for this.
 * @returns whether there may be more; the sweep then continues
 */
export async function holdDeliveries(partition: Partition, webhookId: string): Promise<boolean> {
  for (let batch = 0; batch < maximumHoldBatches; batch++) {
    const rows = await runSql(holdStatement({ ...partition, webhookId, limit: holdBatchSize }));
    if (rows.length < holdBatchSize) return false;
  }
  return true;
}
