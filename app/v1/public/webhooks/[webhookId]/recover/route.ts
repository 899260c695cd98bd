import { operation } from "@/lib/api/operation";
import { recoveredPerSecond } from "@/lib/deliveries/backlog";
import { recoverDeliveriesBody, recovery } from "@/lib/deliveries/schema";
import { recoverDeliveries } from "@/lib/deliveries/service";
import { webhookParams } from "@/lib/webhooks/schema";

export const POST = operation({
  operationId: "recoverWebhookDeliveries",
  summary: "Send again what failed or was held",
  description: `Every delivery of that time which is \`FAILED\` or \`HELD\`, tests excepted, gets a fresh schedule. They are sent in the background, at most ${recoveredPerSecond} a second. With \`dryRun\` they are only counted, which is also possible while the webhook is disabled.`,
  scope: "write:webhooks",
  status: 202,
  params: webhookParams,
  body: recoverDeliveriesBody,
  response: recovery,
  problems: ["invalid-transition"],
  run: ({ caller, params, body }) => recoverDeliveries(caller, params.webhookId, body),
});
