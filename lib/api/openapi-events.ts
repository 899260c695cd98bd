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

/** The `webhooks` section: what a receiver gets for each event type. */
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
            "The event. Verify the signature over exactly these bytes before you parse them.",
          required: true,
          content: {
            "application/json": { schema, example: example as unknown as JsonValue },
          },
        },
        responses: {
          "2XX": {
            description: "Any 2xx within 10 seconds counts as delivered. The body is ignored.",
          },
          "410": { description: "Disables the webhook immediately." },
          "4XX": {
            description:
              "Not delivered. It is retried up to seven times, over 34 hours and 42 minutes.",
          },
          "5XX": {
            description:
              "Not delivered, and retried in the same way. `Retry-After` with 429 or 503 can lengthen the wait.",
          },
        },
      };
      return [type, { post: operation }];
    }),
  );
}

/**
 * An event of any type, discriminated by `type`. In the document it replaces the schema `Event`,
 * which accepts any `data.object`.
 */
export function anyEvent(): JsonSchema {
  const names = eventTypes.map(
    (type) => [type, referenceToSchema(`${capitalizedName(type)}Event`).$ref ?? ""] as const,
  );
  return {
    title: "Event",
    description:
      "Something that happened. `type` says what, and determines the shape of `data.object`.",
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
    "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<body>` with the webhook's secret. While a secret is being rotated there are two `v1` values.",
    "t=1769851800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
  ),
  deliveryHeader(
    "X-Service-Event-Id",
    "The id of the event. It is the same in every attempt, so you can drop an event that you have seen.",
    "evt_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  ),
  deliveryHeader("X-Service-Event-Type", "The type of the event.", "message.received"),
  deliveryHeader(
    "X-Service-Delivery-Id",
    "The id of this event's delivery to this webhook.",
    "dlv_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  ),
  deliveryHeader("X-Service-Attempt", "1 for the first attempt.", "1"),
  deliveryHeader(
    "webhook-id",
    "The id of the event, under the name that Standard Webhooks gives it.",
    "evt_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  ),
  deliveryHeader(
    "webhook-timestamp",
    "When the attempt was signed, in Unix seconds.",
    "1769851800",
  ),
  deliveryHeader(
    "webhook-signature",
    "The signature in the format of Standard Webhooks: `v1,<base64>`, over `<id>.<timestamp>.<body>`.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];
