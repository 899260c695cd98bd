import { type EventType, eventTypes } from "@/lib/events/event-types";
import {
  type ApiOperation,
  type JsonSchema,
  type JsonValue,
  type Parameter,
  referenceToSchema,
} from "@/lib/platform/openapi";
import { describedEvents } from "./event-reference";
import type { schemaCollector } from "./openapi-schemas";

/** `message.received` → `MessageReceived` */
const capitalizedName = (type: EventType) =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The `webhooks` section: what a receiver is sent for each type of event. */
export function eventOperations({
  referenceTo,
}: ReturnType<typeof schemaCollector>): Record<string, { post: ApiOperation }> {
  return Object.fromEntries(
    eventTypes.map((type): [string, { post: ApiOperation }] => {
      const { description, schema: event, example } = describedEvents[type];
      const schema = referenceTo(`${capitalizedName(type)}Event`, event, "output");
      const operation: ApiOperation = {
        operationId: `on${capitalizedName(type)}`,
        summary: type,
        description,
        tags: ["Deliveries"],
        security: [],
        parameters: deliveryHeaders,
        requestBody: {
          description:
            "The event. Verify the signature over these very bytes before you parse them.",
          required: true,
          content: {
            "application/json": { schema, example: example as unknown as JsonValue },
          },
        },
        responses: {
          "2XX": {
            description:
              "Any 2xx within 10 seconds counts as delivered. The body is not looked at.",
          },
          "410": { description: "Disables the webhook at once." },
          "4XX": {
            description:
              "Not delivered. It is tried again up to seven times, over 34 hours and 42 minutes.",
          },
          "5XX": {
            description:
              "Not delivered, and tried again likewise. `Retry-After` with 429 or 503 can lengthen the wait.",
          },
        },
      };
      return [type, { post: operation }];
    }),
  );
}

/**
 * An event of any type, told apart by `type`: in place of the loose schema that stored events are
 * read with.
 */
export function anyEvent(): JsonSchema {
  const names = eventTypes.map(
    (type) => [type, referenceToSchema(`${capitalizedName(type)}Event`).$ref ?? ""] as const,
  );
  return {
    title: "Event",
    description:
      "Something that happened. `type` says what, and decides the shape of `data.object`.",
    oneOf: names.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(names) },
  };
}

const deliveryHeader = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", maxLength: 500, pattern: "^[\\x20-\\x7e]+$" },
  example,
});

const deliveryHeaders: Parameter[] = [
  deliveryHeader(
    "X-Service-Signature",
    "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>` with the webhook's secret. While a secret is being rotated there are two `v1`.",
    "t=1769851800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
  ),
  deliveryHeader(
    "X-Service-Event-Id",
    "The event. The same in every attempt: what you have seen, you can drop.",
    "evt_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  ),
  deliveryHeader("X-Service-Event-Type", "The type of the event.", "message.received"),
  deliveryHeader(
    "X-Service-Delivery-Id",
    "This event's delivery to this webhook.",
    "dlv_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  ),
  deliveryHeader("X-Service-Attempt", "1 for the first attempt.", "1"),
  deliveryHeader(
    "webhook-id",
    "The event, as Standard Webhooks names it.",
    "evt_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  ),
  deliveryHeader("webhook-timestamp", "Unix seconds.", "1769851800"),
  deliveryHeader(
    "webhook-signature",
    "The signature as Standard Webhooks has it: `v1,<base64>`, over `<id>.<timestamp>.<body>`.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];
