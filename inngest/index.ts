import { cleanUp } from "./functions/clean-up";
import { deliverWebhook } from "./functions/deliver-webhook";
import { sweepWebhooks } from "./functions/sweep-webhooks";
import { wakeSnoozedConversations } from "./functions/wake-snoozed-conversations";

/** Everything that Inngest runs here. */
export function inngestFunctions() {
  return [deliverWebhook(), wakeSnoozedConversations(), sweepWebhooks(), cleanUp()];
}
