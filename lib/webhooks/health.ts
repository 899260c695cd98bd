import type { Webhook } from "./schema";

/** From so many failures in a row on, a webhook's people are warned. */
const warnAfterFailures = 50;
const urgeAfterFailures = 90;

/** How worried one should be about a webhook. */
export const webhookHealths = ["well", "failing", "about-to-be-disabled", "disabled"] as const;
export type WebhookHealth = (typeof webhookHealths)[number];

export function webhookHealth({ status, consecutiveFailures }: Pick<Webhook, "status" | "consecutiveFailures">): WebhookHealth {
  if (status === "DISABLED") return "disabled";
  if (consecutiveFailures >= urgeAfterFailures) return "about-to-be-disabled";
  return consecutiveFailures >= warnAfterFailures ? "failing" : "well";
}
