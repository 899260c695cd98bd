import { operation } from "@/lib/api/operation";
import { delivery } from "@/lib/deliveries/schema";
import { sendTestEvent } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "testWebhook",
  summary: "Send a test event to a webhook",
  description:
    "Raises `webhook.test` for this webhook alone, whatever it subscribes to, and also while it is disabled. It is tried once, and its failure is not counted. Get the delivery to see what came of it.",
  scope: "write:webhooks",
  status: 202,
  params: webhookParams,
  response: delivery,
  problems: ["limit-reached"],
  run: ({ caller, params }) => sendTestEvent(caller, params.webhookId),
});
