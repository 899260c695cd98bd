import { operation } from "@/lib/api/operation";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import { replay, replayWebhookBody } from "@/lib/deliveries/schema";
import { replayWebhook } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "replayWebhook",
  summary: "Replay events",
  description: `Sends every event of that period that the webhook subscribes to: those that were delivered too, and those from before the webhook was created. Each event is sent once per replay, by its one delivery to the webhook, with a new retry schedule. They are sent in the background, oldest first, at most ${recoveredPerSecond} per second. Events are stored for 30 days. With \`dryRun\` they are only counted, which also works while the webhook is disabled.`,
  scope: "write:webhooks",
  status: 202,
  params: webhookParams,
  body: replayWebhookBody,
  response: replay,
  problems: ["invalid-transition", "limit-reached"],
  run: ({ caller, params, body }) => replayWebhook(caller, params.webhookId, body),
});
