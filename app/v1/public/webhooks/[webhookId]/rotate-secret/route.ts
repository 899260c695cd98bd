import { operation } from "@/lib/api/operation";
import { rotateSecret } from "@/lib/webhooks/rotate-secret";
import { rotateSecretBody, webhookParams, webhookWithSecret } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "rotateWebhookSecret",
  summary: "Rotate a webhook's secret and show the new one once",
  description:
    "Deliveries are signed with the new secret first, and with the previous one too until the overlap ends: after 24 hours, or after `overlapSeconds`. Until then, another rotation is rejected, unless its `overlapSeconds` is 0, which ends every older secret immediately. The body is optional.",
  scope: "write:webhooks",
  params: webhookParams,
  body: rotateSecretBody,
  isBodyOptional: true,
  response: webhookWithSecret,
  problems: ["rotation-in-progress"],
  responseHasSecret: true,
  run: ({ caller, params, body }) => rotateSecret(caller, params.webhookId, body),
});
