import { disableWebhook } from "@/lib/webhooks/disable";
import { disableAfterFailures } from "@/lib/webhooks/health";
import type { EndedAttempt, RecordedAttempt } from "./record";

const statusGone = 410;

/**
 * Disables the webhooks that reached the maximum number of failures, and those whose receiver
 * returned 410 Gone. A test never disables a webhook.
 */
export async function disableIfFailing(
  attempts: EndedAttempt[],
  recorded: (RecordedAttempt | null)[],
): Promise<void> {
  for (const [index, { delivery, result, trigger }] of attempts.entries()) {
    const record = recorded[index];
    if (!record || trigger === "TEST") continue;
    if ("statusCode" in result && result.statusCode === statusGone)
      await disableWebhook(partitionOf(delivery), delivery.webhookId, "GONE");
    else if (record.consecutiveFailures >= disableAfterFailures) {
      await disableWebhook(partitionOf(delivery), delivery.webhookId, "CONSECUTIVE_FAILURES");
    }
  }
}

const partitionOf = ({ tenantId, environment }: EndedAttempt["delivery"]) => ({
  tenantId,
  environment,
});
