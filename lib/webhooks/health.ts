import type { Webhook } from "./schema";

/** A webhook that fails this often in a row is disabled. */
export const disableAfterFailures = 100;

/**
 * After so many failures in a row the webhook's owners are warned, each time that a row of failures
 * comes to it.
 */
export const warnAfterFailures = [50, 90] as const;

/**
 * From here on a webhook is probed: one delivery at a time, and a pause after each. A hundred
 * events to a host that refuses connections would otherwise disable it within a second. What waits
 * meanwhile uses up no attempts.
 */
export const probeAfterFailures = 10;

const [, criticalAfterFailures] = warnAfterFailures;

export const webhookHealths = ["well", "failing", "about-to-be-disabled", "disabled"] as const;
export type WebhookHealth = (typeof webhookHealths)[number];

/**
 * What follows from a webhook's failures in a row, for every place that shows or mails it. It is
 * failing from the moment that it is probed: it then gets one delivery at a time.
 */
export function webhookHealth({
  status,
  consecutiveFailures,
}: Pick<Webhook, "status" | "consecutiveFailures">): WebhookHealth {
  if (status === "DISABLED") return "disabled";
  if (consecutiveFailures >= criticalAfterFailures) return "about-to-be-disabled";
  return consecutiveFailures >= probeAfterFailures ? "failing" : "well";
}

/** What the health means, in a sentence for a page or a mail. */
export const healthSentences: Record<WebhookHealth, string> = {
  well: "",
  failing: `It gets one delivery at a time until one succeeds. After ${disableAfterFailures} failures in a row it is disabled.`,
  "about-to-be-disabled": `It will soon be disabled, after ${disableAfterFailures} failures in a row. It gets one delivery at a time; a single success sets the count to 0.`,
  disabled: "Nothing is sent to it. What happens is held for it for 30 days.",
};
