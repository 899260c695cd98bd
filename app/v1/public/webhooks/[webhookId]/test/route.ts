import { operation } from "@/lib/api/operation";
import { delivery } from "@/lib/deliveries/schema";
import { sendTestEvent } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "testWebhook",
  summary: "Send a test event to a webhook",
  description:
    "Sends `webhook.test` to this webhook only, whatever it subscribes to, even if it is disabled. There is one attempt, and a failure is not counted. Get the delivery to see the result.",
  scope: "write:webhooks",
  status: 202,
  params: webhookParams,
  response: delivery,
  problems: ["limit-reached"],
  run: ({ caller, params }) => sendTestEvent(caller, params.webhookId),
});
