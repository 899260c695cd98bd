import { operation } from "@/lib/api/operation";
import { deletedWebhook, updateWebhookBody, webhook, webhookParams } from "@/lib/webhooks/schema";
import { deleteWebhook, getWebhook, updateWebhook } from "@/lib/webhooks/service";

export const GET = operation({
  operationId: "getWebhook",
  summary: "Get a webhook",
  scope: "read:webhooks",
  params: webhookParams,
  response: webhook,
  run: ({ caller, params }) => getWebhook(caller, params.webhookId),
});

export const PATCH = operation({
  operationId: "updateWebhook",
  summary: "Change a webhook, disable it or enable it again",
  scope: "write:webhooks",
  params: webhookParams,
  body: updateWebhookBody,
  response: webhook,
  versionOf: webhook,
  run: ({ caller, params, body }) => updateWebhook(caller, params.webhookId, body),
});

export const DELETE = operation({
  operationId: "deleteWebhook",
  summary: "Delete a webhook and its deliveries",
  scope: "write:webhooks",
  params: webhookParams,
  response: deletedWebhook,
  versionOf: webhook,
  run: ({ caller, params }) => deleteWebhook(caller, params.webhookId),
});
