import { queueAlert } from "@/lib/alerts/service";
import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMailToAdmins } from "@/lib/mail/service";
import type { NotificationChoice } from "@/lib/notifications/choices";
import { type Db, db } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { movingTenantIds } from "@/lib/platform/moving-tenants";
import { now } from "@/lib/platform/time";
import type { WebhookWarningModel } from "@/prisma/generated/models";
import { healthSentences, webhookHealth } from "./health";

/** Older warnings are not mailed, in case the jobs did not run for a while. */
const latestMs = 24 * 3_600_000;

const leftOutWebhooks = leaveOut(
  "the warning of a failing webhook could not be queued and will be tried again",
);

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
      webhookId: { notIn: leftOutWebhooks.ids() },
      mailedAt: null,
      createdAt: { gt: new Date(at.getTime() - latestMs) },
    },
    orderBy: { createdAt: "asc" },
    take: limit,
    include: { webhook: { select: { url: true, status: true, deletedAt: true } } },
  });
  for (const { webhook, ...warning } of warnings) {
    const { tenantId, environment, webhookId, failures, createdAt } = warning;
    const hasHigherWarning = warnings.some(
      (other) =>
        other.webhookId === webhookId && other.failures > failures && other.createdAt >= createdAt,
    );
    const isCurrent = webhook.status === "ENABLED" && !webhook.deletedAt && !hasHigherWarning;
    await leftOutWebhooks.attempt(webhookId, { tenantId, environment, webhookId }, () =>
      db().$transaction(async (transaction) => {
        // Another worker may have read it, too.
        const { count } = await transaction.webhookWarning.updateMany({
          where: { tenantId, environment, webhookId, failures, createdAt, mailedAt: null },
          data: { mailedAt: at },
        });
        if (count > 0 && isCurrent) await queue(transaction, warning, webhook.url);
      }),
    );
  }
  return warnings.length;
}

async function queue(
  transaction: Db,
  { tenantId, environment, webhookId, failures, createdAt }: WebhookWarningModel,
  webhookUrl: string,
): Promise<void> {
  const consequence =
    healthSentences[webhookHealth({ status: "ENABLED", consecutiveFailures: failures })];
  const about = {
    ...{ environment, webhookId, webhookUrl },
    ...{ consecutiveFailures: failures, consequence },
  };
  const mail = { kind: "webhook-failing", ...about } as const;
  if (mailTransport() !== "none")
    await queueMailToAdmins(transaction, tenantId, mail, {
      name: `webhook-failing:${webhookId}:${failures}:${createdAt.getTime()}`,
      unlessMuted: "webhooks:mail" satisfies NotificationChoice,
    });
  await queueAlert(transaction, tenantId, mail);
}
