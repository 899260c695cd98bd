import {
  type EventDeclaration,
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { event } from "@/lib/events/schema";
import { defaultDeliveryOptions } from "./delivery-options";
import { type Webhook, webhook } from "./schema";

const shopServer: Webhook = {
  ...exampleFields,
  id: "whk_01KFE6Q5D0N4K8T2V7R9W1G3JB",
  url: "https://example.com/parlance",
  description: "The shop's own server",
  events: ["conversation.created", "message.*"],
  filter: null,
  headerNames: [],
  ...defaultDeliveryOptions,
  status: "ENABLED",
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  lastSuccessAt: exampleTimes.created,
  lastFailureAt: null,
  secretHint: "whsec_…aSw=",
  previousSecretExpiresAt: null,
  signatureScheme: "hmac",
  publicKeys: [],
  metadata: {},
};

export const webhookEvents: EventDeclarations<"webhook"> = {
  "webhook.disabled": eventAbout(webhook, {
    description:
      "Another of your webhooks was disabled because its receiver failed too often or responded 410.",
    triggers: [
      "100 consecutive failures, or a 410 from the receiver.",
      "Disabling a webhook yourself raises nothing.",
      "It is sent to your other webhooks, never to the one that was disabled. Its deliveries are held for 30 days.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: null,
      object: {
        ...shopServer,
        updatedAt: exampleTimes.changed,
        status: "DISABLED",
        disabledReason: "CONSECUTIVE_FAILURES",
        disabledAt: exampleTimes.changed,
        consecutiveFailures: 100,
        lastFailureAt: exampleTimes.changed,
      },
    },
  }),
  "webhook.test": withExample(
    eventAbout(webhook, {
      description:
        "A test was requested. The object is the webhook that receives it. A test of another type is sent as the example of that type, with the id of this event.",
      triggers: [
        "`POST /webhooks/{webhookId}/test`, or **Send test event** in the dashboard.",
        "It is sent to the tested webhook only, whatever it subscribes to. It never counts as a failure.",
      ],
      example: { timestamp: exampleTimes.changed, request: exampleRequest, object: shopServer },
    }),
  ),
};

function withExample(test: EventDeclaration): EventDeclaration {
  const { example } = event.shape.data.shape;
  return { ...test, data: test.data.extend({ example }) };
}
