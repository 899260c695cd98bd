import { testExampleOf } from "@/lib/api/event-reference";
import { operation } from "@/lib/api/operation";
import { delivery, testWebhookBody } from "@/lib/deliveries/schema";
import { sendTestEvent } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "testWebhook",
  summary: "Send a test event to a webhook",
  description:
    "Sends `webhook.test` to this webhook only, whatever it subscribes to, even if it is disabled. With `type`, it sends the example of another event type instead, under the id of the test. The feed of events lists it as `webhook.test`, so that readers do not mistake the example for a real event. There is one attempt, and a failure is not counted. Get the delivery to see the result.",
  scope: "write:webhooks",
  status: 202,
  params: webhookParams,
  body: testWebhookBody,
  isBodyOptional: true,
  response: delivery,
  problems: ["limit-reached"],
  run: ({ caller, params, body }) =>
    sendTestEvent(caller, params.webhookId, testExampleOf(body.type)),
});
