import { operation } from "@/lib/api/operation";
import { delivery, deliveryParams } from "@/lib/deliveries/schema";
import { resendDelivery } from "@/lib/deliveries/service";

export const POST = operation({
  operationId: "resendWebhookDelivery",
  summary: "Send a delivery once more, now",
  description:
    "The same event under the same id, freshly signed, also while the webhook is disabled. Where it succeeds, the delivery is `DELIVERED` and retries that were to come are not made; where it fails, everything stays as it was and the failure is not counted.",
  scope: "write:webhooks",
  status: 202,
  params: deliveryParams,
  response: delivery,
  problems: ["invalid-transition", "limit-reached"],
  run: ({ caller, params }) => resendDelivery(caller, params.webhookId, params.deliveryId),
});
