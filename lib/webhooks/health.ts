import { warnAfterFailures } from "./retry-schedule";
import type { Webhook } from "./schema";

const [warnAfter, urgeAfter] = warnAfterFailures;

/** How worried one should be about a webhook. */
export const webhookHealths = ["well", "failing", "about-to-be-disabled", "disabled"] as const;
export type WebhookHealth = (typeof webhookHealths)[number];

export function webhookHealth({ status, consecutiveFailures }: Pick<Webhook, "status" | "consecutiveFailures">): WebhookHealth {
  if (status === "DISABLED") return "disabled";
  if (consecutiveFailures >= urgeAfter) return "about-to-be-disabled";
  return consecutiveFailures >= warnAfter ? "failing" : "well";
}
