import { queueAlert } from "@/lib/alerts/service";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMailToAdmins } from "@/lib/mail/service";
import type { NotificationChoice } from "@/lib/notifications/choices";
import { db } from "@/lib/platform/db";
import { movingTenantIds } from "@/lib/platform/moving-tenants";
import { now } from "@/lib/platform/time";
import { healthSentences, webhookHealth } from "./health";

/** Older warnings are not mailed, in case the jobs did not run for a while. */
const latestMs = 24 * 3_600_000;

/**
 * For each warning that was not sent yet, queues a mail to owners and admins, and an alert. If a
 * webhook reached several numbers together, only the highest one is sent. Nothing is sent about a
 * webhook that is disabled or deleted by now.
 * @returns how many warnings were processed
 */
export async function mailWarnings(limit: number): Promise<number> {
  const at = now();
  const warnings = await db().webhookWarning.findMany({
    where: {
      tenantId: { notIn: await movingTenantIds() },
      mailedAt: null,
      createdAt: { gt: new Date(at.getTime() - latestMs) },
    },
    orderBy: { createdAt: "asc" },
    take: limit,
    include: { webhook: { select: { url: true, status: true, deletedAt: true } } },
  });
  for (const { webhook, mailedAt: _, ...key } of warnings) {
    const { tenantId, environment, webhookId, failures, createdAt } = key;
    const hasHigherWarning = warnings.some(
      (other) =>
        other.webhookId === webhookId && other.failures > failures && other.createdAt >= createdAt,
    );
    const isCurrent = webhook.status === "ENABLED" && !webhook.deletedAt && !hasHigherWarning;
    await db().$transaction(async (transaction) => {
      if (isCurrent) {
        const consequence =
          healthSentences[webhookHealth({ status: "ENABLED", consecutiveFailures: failures })];
        const about = {
          environment,
          webhookId,
          webhookUrl: webhook.url,
          consecutiveFailures: failures,
          consequence,
        };
        const mail = { kind: "webhook-failing", ...about } as const;
        if (mailTransport() !== "none")
          await queueMailToAdmins(transaction, tenantId, mail, {
            name: `webhook-failing:${webhookId}:${failures}:${createdAt.getTime()}`,
            unlessMuted: "webhooks:mail" satisfies NotificationChoice,
          });
        await queueAlert(transaction, tenantId, mail);
      }
      await transaction.webhookWarning.update({
        where: { tenantId_environment_webhookId_failures_createdAt: key },
        data: { mailedAt: at },
      });
    });
  }
  return warnings.length;
}
