import { operation } from "@/lib/api/operation";
import { deliveryParams, deliveryWithAttempts } from "@/lib/deliveries/schema";
import { getDelivery } from "@/lib/deliveries/service";

export const GET = operation({
  operationId: "getWebhookDelivery",
  summary: "Get a delivery with its attempts",
  scope: "read:webhooks",
  params: deliveryParams,
  response: deliveryWithAttempts,
  run: ({ caller, params }) => getDelivery(caller, params.webhookId, params.deliveryId),
});
