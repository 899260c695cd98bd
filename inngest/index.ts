import { cleanUp } from "./functions/clean-up";
import { deliverWebhook } from "./functions/deliver-webhook";
import { processDocument } from "./functions/process-document";
import { sweepWebhooks } from "./functions/sweep-webhooks";
import { tendDocuments } from "./functions/tend-documents";
import { wakeSnoozedConversations } from "./functions/wake-snoozed-conversations";
import { workOffBacklog } from "./functions/work-off-backlog";

/** Everything that Inngest runs here. */
export function inngestFunctions() {
  return [deliverWebhook(), processDocument(), tendDocuments(), wakeSnoozedConversations(), sweepWebhooks(), workOffBacklog(), cleanUp()];
}
