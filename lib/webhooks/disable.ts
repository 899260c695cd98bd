import { recordAudit } from "@/lib/audit/service";
import { recordEvent } from "@/lib/events/record-event";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMailToAdmins } from "@/lib/mail/service";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { runStatement, type Statement } from "@/lib/platform/db";
import { currentTime } from "@/lib/platform/time";
import { lockRow } from "@/lib/resources/lock-row";
import { disableAfterFailures } from "./health";
import { toWebhook } from "./service";

export type AutomaticDisabling = "CONSECUTIVE_FAILURES" | "GONE";

/**
 * Disables a webhook for what its receiver did, tells the tenant's other webhooks, its owners and
 * admins by mail, and holds what waits. Harmless to call twice, or too late: the row is locked and
 * looked at again.
 */
export async function disableWebhook(
  partition: Partition,
  webhookId: string,
  reason: AutomaticDisabling,
): Promise<void> {
  await mutate(system(partition), async (caller) => {
    const key = { ...partition, id: webhookId };
    await lockRow(caller, "webhooks", webhookId);
    const row = await caller.db.webhook.findUnique({
      where: { tenantId_environment_id: key, deletedAt: null },
    });
    if (row?.status !== "ENABLED") return;
    if (reason === "CONSECUTIVE_FAILURES" && row.consecutiveFailures < disableAfterFailures) return;

    const at = currentTime() ?? new Date();
    const disabled = await caller.db.webhook.update({
      where: { tenantId_environment_id: key },
      data: {
        status: "DISABLED",
        disabledReason: reason,
        disabledAt: at,
        probeAfter: null,
        updatedAt: at,
      },
      include: { secrets: { orderBy: { version: "desc" }, take: 2 } },
    });
    const { consecutiveFailures } = row;
    if (mailTransport() !== "none") {
      const { environment } = partition;
      await queueMailToAdmins(caller.db, partition.tenantId, {
        kind: "webhook-disabled",
        environment,
        webhookId,
        webhookUrl: row.url,
        reason,
        consecutiveFailures,
      });
    }
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

const holdBatchSize = 1_000;
const maximumHoldBatches = 10;

/**
 * `FOR SHARE` waits for whoever is just enabling the webhook again, and then finds nothing to hold.
 * What is under way is left alone: its attempt is held when it ends, or here once its lease is
 * over; so is what a person asked to be sent.
 */
const holdStatement: Statement = {
  name: "hold_deliveries",
  text: `
  WITH disabled AS MATERIALIZED (
    SELECT tenant_id, environment, id FROM webhooks
    WHERE tenant_id = $2::text AND environment = $3::"Environment" AND id = $4::text AND status = 'DISABLED' AND deleted_at IS NULL
    FOR SHARE
  ),
  waiting AS MATERIALIZED (
    SELECT d.id FROM disabled w
    JOIN deliveries d ON d.status = 'PENDING' AND d.tenant_id = w.tenant_id AND d.environment = w.environment AND d.webhook_id = w.id
    WHERE d.requested_at IS NULL AND (d.lease_expires_at IS NULL OR d.lease_expires_at <= coalesce($1::timestamptz, now()))
    LIMIT $5::int
    FOR NO KEY UPDATE OF d SKIP LOCKED
  )
  UPDATE deliveries d
  SET status = 'HELD', next_attempt_at = NULL, lease_holder = NULL, lease_expires_at = NULL, updated_at = coalesce($1::timestamptz, now())
  FROM waiting WHERE d.tenant_id = $2::text AND d.environment = $3::"Environment" AND d.id = waiting.id
  RETURNING 1`,
};

/**
 * Holds what waits for a disabled webhook, in batches, and as many as end soon: who stops a worker
 * would wait for them all.
 * @returns whether there may be more; the sweep goes on then
 */
export async function holdDeliveries(
  { tenantId, environment }: Partition,
  webhookId: string,
): Promise<boolean> {
  for (let batch = 0; batch < maximumHoldBatches; batch++) {
    const rows = await runStatement(holdStatement, [
      currentTime(),
      tenantId,
      environment,
      webhookId,
      holdBatchSize,
    ]);
    if (rows.length < holdBatchSize) return false;
  }
  return true;
}
