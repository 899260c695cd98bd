import { operation } from "@/lib/api/operation";
import { deliveryPage, listDeliveriesQuery } from "@/lib/deliveries/schema";
import { listDeliveries } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const GET = operation({
  operationId: "listWebhookDeliveries",
  summary: "List a webhook's deliveries, newest first",
  scope: "read:webhooks",
  mayReadReplica: true,
  params: webhookParams,
  query: listDeliveriesQuery,
  response: deliveryPage,
  run: ({ caller, params, query }) => listDeliveries(caller, params.webhookId, query),
});
