import { operation } from "@/lib/api/operation";
import { delivery, deliveryParams } from "@/lib/deliveries/schema";
import { resendDelivery } from "@/lib/deliveries/service";

export const POST = operation({
  operationId: "resendWebhookDelivery",
  summary: "Resend a delivery",
  description:
    "Sends the same event with the same id and a new signature, even if the webhook is disabled. If it succeeds, the delivery becomes `DELIVERED` and further retries are canceled. If it fails, nothing changes and the failure is not counted.",
  scope: "write:webhooks",
  status: 202,
  params: deliveryParams,
  response: delivery,
  problems: ["invalid-transition", "limit-reached"],
  run: ({ caller, params }) => resendDelivery(caller, params.webhookId, params.deliveryId),
});
