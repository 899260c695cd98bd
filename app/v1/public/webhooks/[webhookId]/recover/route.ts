import { operation } from "@/lib/api/operation";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import { recoverDeliveriesBody, recovery } from "@/lib/deliveries/schema";
import { recoverDeliveries } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "recoverWebhookDeliveries",
  summary: "Resend failed and held deliveries",
  description: `Every delivery of that period that is \`FAILED\` or \`HELD\`, except tests, starts a new retry schedule. They are sent in the background, at most ${recoveredPerSecond} per second. With \`dryRun\` they are only counted, which also works while the webhook is disabled.`,
  scope: "write:webhooks",
  status: 202,
  params: webhookParams,
  body: recoverDeliveriesBody,
  response: recovery,
  problems: ["invalid-transition"],
  run: ({ caller, params, body }) => recoverDeliveries(caller, params.webhookId, body),
});
