import { escaped, queueText } from "@/lib/alerts/service";
import { recordAudit } from "@/lib/audit/service";
import type { Caller } from "@/lib/platform/caller";
import { invalidBody } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { alertTargetContext, sealSecret } from "@/lib/platform/secret-box";
import { now } from "@/lib/platform/time";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { findUrlProblem } from "./webhook-url";

// Where alerts about webhooks and the storage quota go: an incoming webhook of Slack, or of a service
// that takes the same body.

/**
 * Where the organization's alerts go, and the result of the latest one. The URL itself is a secret.
 */
export async function getAlertTarget(caller: Caller) {
  requireRole(caller, "ADMIN", "see where alerts go");
  const target = await caller.db.alertTarget.findUnique({
    where: { tenantId: caller.partition.tenantId },
    select: {
      host: true,
      changedAt: true,
      suspendedAt: true,
      alerts: {
        orderBy: { id: "desc" },
        take: 1,
        select: { status: true, error: true, createdAt: true },
      },
    },
  });
  if (!target) return null;
  const { alerts, suspendedAt, ...shown } = target;
  return { ...shown, isSuspended: suspendedAt !== null, newest: alerts[0] ?? null };
}

/**
 * Sends the organization's alerts to this URL from now on, starting with a confirmation. Null stops
 * them.
 * @throws AppError `validation` for a URL that webhooks must not reach
 */
export async function changeAlertTarget(caller: Caller, url: string | null): Promise<void> {
  requireRole(caller, "ADMIN", "change where alerts go");
  await requireStepUp(caller, "changeAlertTarget");
  const { db, partition } = caller;
  const { tenantId } = partition;
  const problem = url && findUrlProblem(url, { environment: "live" });
  if (problem) throw invalidBody("/url", "invalid", problem);

  const before = await db.alertTarget.findUnique({ where: { tenantId }, select: { host: true } });
  // This also deletes the alerts that wait for the earlier URL.
  await db.alertTarget.deleteMany({ where: { tenantId } });
  const host = url ? new URL(url).host : null;
  if (url && host) {
    const sealedUrl = sealSecret(url, alertTargetContext(tenantId));
    await db.alertTarget.create({ data: { tenantId, sealedUrl, host, changedAt: now() } });
    const { name } = await db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
    await queueText(
      db,
      tenantId,
      escaped(`Alerts about the storage and the webhooks of ${name} are sent here.`),
    );
  }
  await recordAudit(caller, {
    action: "alerts.changed",
    targetId: tenantId,
    changes: { before: { host: before?.host ?? null }, after: { host } },
  });
}
