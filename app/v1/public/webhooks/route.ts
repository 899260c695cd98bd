import { operation } from "@/lib/api/operation";
import {
  createWebhookBody,
  listWebhooksQuery,
  webhookPage,
  webhookWithSecret,
} from "@/lib/webhooks/schema";
import { createWebhook, listWebhooks } from "@/lib/webhooks/service";

export const GET = operation({
  operationId: "listWebhooks",
  summary: "List webhooks, newest first",
  scope: "read:webhooks",
  mayReadReplica: true,
  query: listWebhooksQuery,
  response: webhookPage,
  run: ({ caller, query }) => listWebhooks(caller, query),
});

export const POST = operation({
  operationId: "createWebhook",
  summary: "Create a webhook and show its secret once",
  scope: "write:webhooks",
  status: 201,
  body: createWebhookBody,
  response: webhookWithSecret,
  problems: ["limit-reached"],
  responseHasSecret: true,
  run: ({ caller, body }) => createWebhook(caller, body),
});
