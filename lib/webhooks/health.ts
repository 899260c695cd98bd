import type { Webhook } from "./schema";

/** A webhook is disabled after this many failures in a row. */
export const disableAfterFailures = 100;

/** The numbers of failures in a row at which the organization is warned. */
export const warnAfterFailures = [50, 90] as const;

/**
 * From this number of failures, a webhook is probed: one delivery at a time, and a pause after
 * each. Otherwise a hundred events to a host that refuses connections would disable it within a
 * second. Deliveries that wait meanwhile use up no attempts.
 */
export const probeAfterFailures = 10;

const [, criticalAfterFailures] = warnAfterFailures;

export const webhookHealths = ["well", "failing", "about-to-be-disabled", "disabled"] as const;
export type WebhookHealth = (typeof webhookHealths)[number];

/**
 * A webhook's health by its failures in a row, for pages and mails. It is failing as soon as it is
 * probed, because it then gets one delivery at a time.
 */
export function webhookHealth({
  status,
  consecutiveFailures,
}: Pick<Webhook, "status" | "consecutiveFailures">): WebhookHealth {
  if (status === "DISABLED") return "disabled";
  if (consecutiveFailures >= criticalAfterFailures) return "about-to-be-disabled";
  return consecutiveFailures >= probeAfterFailures ? "failing" : "well";
}

/** The effect of each health, as text for pages and mails. */
export const healthSentences: Record<WebhookHealth, string> = {
  well: "",
  failing: `It gets one delivery at a time until one succeeds. After ${disableAfterFailures} failures in a row it is disabled.`,
  "about-to-be-disabled": `It will soon be disabled, after ${disableAfterFailures} failures in a row. It gets one delivery at a time; a single success resets the count to 0.`,
  disabled: "Nothing is sent to it. New deliveries are held for 30 days.",
};
