import { operation } from "@/lib/api/operation";
import { rotateSecretBody, webhookParams, webhookWithSecret } from "@/lib/webhooks/schema";
import { rotateSecret } from "@/lib/webhooks/service";

export const POST = operation({
  operationId: "rotateWebhookSecret",
  summary: "Give a webhook a new secret, which is shown this once",
  description:
    "The new secret signs first, and the one before it signs too until the overlap is over: 24 hours, unless `overlapSeconds` says otherwise. During that time a further rotation is refused, except one with `overlapSeconds` 0, which drops every older secret at once. The body may be left out.",
  scope: "write:webhooks",
  params: webhookParams,
  body: rotateSecretBody,
  isBodyOptional: true,
  response: webhookWithSecret,
  problems: ["rotation-in-progress"],
  answerHoldsSecret: true,
  run: ({ caller, params, body }) => rotateSecret(caller, params.webhookId, body),
});
