import { type AutomaticDisabling, disableWebhook } from "@/lib/webhooks/disable";
import { disableAfterFailures } from "@/lib/webhooks/health";
import { type EndedAttempt, isGone, type RecordedAttempt } from "./record";

type Delivery = EndedAttempt["delivery"];

/**
 * Disables the webhooks that reached the maximum number of failures, and those whose receiver
 * returned 410 Gone, each once. A test never disables a webhook.
 */
export async function disableIfFailing(
  attempts: EndedAttempt[],
  recorded: (RecordedAttempt | null)[],
): Promise<void> {
  const failing = new Map<string, { delivery: Delivery; reason: AutomaticDisabling }>();
  for (const [index, attempt] of attempts.entries()) {
    const { delivery, trigger } = attempt;
    const record = recorded[index];
    if (!record || trigger === "TEST") continue;
    const receiver = `${delivery.webhookId} ${delivery.url}`;
    if (isGone(attempt)) failing.set(receiver, { delivery, reason: "GONE" });
    else if (record.consecutiveFailures >= disableAfterFailures && !failing.has(receiver))
      failing.set(receiver, { delivery, reason: "CONSECUTIVE_FAILURES" });
  }
  for (const { delivery, reason } of failing.values())
    await disableWebhook(partitionOf(delivery), delivery.webhookId, reason, delivery.url);
}

const partitionOf = ({ tenantId, environment }: Delivery) => ({
  tenantId,
  environment,
});
