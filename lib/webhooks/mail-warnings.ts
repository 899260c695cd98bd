import { mailTransport } from "@/lib/mail/mail-transport";
import { queueMailToAdmins } from "@/lib/mail/service";
import { db } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { healthSentences, webhookHealth } from "./health";

/** Nobody wants to hear of failures of longer ago, when the jobs stood still for a while. */
const latestMs = 24 * 3_600_000;

/**
 * Leaves a mail to the owners and admins for each warning that they have not had. Where a webhook
 * came to several numbers at once they hear of the highest one, and of one that is disabled or
 * deleted by now they hear nothing more.
 * @returns how many warnings were dealt with
 */
export async function mailWarnings(limit: number): Promise<number> {
  const at = now();
  const warnings = await db().webhookWarning.findMany({
    where: { mailedAt: null, createdAt: { gt: new Date(at.getTime() - latestMs) } },
    orderBy: { createdAt: "asc" },
    take: limit,
    include: { webhook: { select: { url: true, status: true, deletedAt: true } } },
  });
  for (const { webhook, mailedAt: _, ...key } of warnings) {
    const { tenantId, environment, webhookId, failures, createdAt } = key;
    const isOutdone = warnings.some(
      (other) =>
        other.webhookId === webhookId && other.failures > failures && other.createdAt >= createdAt,
    );
    const isMailed =
      mailTransport() !== "none" &&
      webhook.status === "ENABLED" &&
      !webhook.deletedAt &&
      !isOutdone;
    await db().$transaction(async (transaction) => {
      if (isMailed) {
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
        await queueMailToAdmins(transaction, tenantId, mail, {
          name: `webhook-failing:${webhookId}:${failures}:${createdAt.getTime()}`,
        });
      }
      await transaction.webhookWarning.update({
        where: { tenantId_environment_webhookId_failures_createdAt: key },
        data: { mailedAt: at },
      });
    });
  }
  return warnings.length;
}
