import { type EventType, eventTypes } from "@/lib/events/catalogue";
import { event } from "@/lib/events/schema";
import type { ApiOperation, JsonSchema, JsonValue, Parameter } from "@/lib/openapi-types";
import { exampleOf } from "./openapi-example";
import type { schemaCollector } from "./openapi-schemas";

/** When each event is raised, and what it carries: the component that the API answers with for the same thing. */
export const eventExplanations: Record<EventType, { when: string; object: string }> = {
  "conversation.created": { when: "A conversation was created.", object: "Conversation" },
  "conversation.updated": { when: "Fields of a conversation other than its status changed.", object: "Conversation" },
  "conversation.status_changed": { when: "A conversation's status changed, and perhaps other fields with it.", object: "Conversation" },
  "message.received": { when: "A customer's message was added to a conversation.", object: "Message" },
  "message.sent": { when: "A message by you, an agent or a program was added to a conversation.", object: "Message" },
  "customer.created": { when: "A customer was created.", object: "Customer" },
  "customer.updated": { when: "Fields of a customer changed.", object: "Customer" },
  "agent.created": { when: "An agent was created, as a draft.", object: "Agent" },
  "agent.updated": { when: "An agent's draft changed.", object: "Agent" },
  "agent.published": { when: "A person published an agent's draft in the dashboard.", object: "Agent" },
  "knowledge_base.created": { when: "A knowledge base was created.", object: "KnowledgeBase" },
  "document.created": { when: "A document was uploaded, and waits to be processed.", object: "Document" },
  "document.ready": { when: "A document was processed, and can be found.", object: "Document" },
  "document.failed": { when: "A document could not be processed; its `error` says why.", object: "Document" },
  "document.deleted": { when: "A document was deleted.", object: "Document" },
  "webhook.disabled": { when: "Another webhook of yours was disabled, by itself or by hand.", object: "Webhook" },
  "webhook.test": { when: "You asked for a test delivery.", object: "Webhook" },
};

/** `message.received` → `MessageReceived` */
export const eventName = (type: EventType) => type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The `webhooks` section: what a receiver is sent for each type of event. */
export function eventOperations(collector: ReturnType<typeof schemaCollector>): Record<string, { post: ApiOperation }> {
  collector.referenceTo("Event", event, "output");
  return Object.fromEntries(
    eventTypes.map((type) => {
      const name = `${eventName(type)}Event`;
      collector.add(name, eventSchema(type, collector.schemas));
      return [type, { post: operationOf(type, name, exampleOf(collector.schemas, { $ref: `#/components/schemas/${name}` })) }];
    }),
  );
}

function eventSchema(type: EventType, schemas: Record<string, JsonSchema>): JsonSchema {
  const { when, object } = eventExplanations[type];
  const { properties = {}, required = [] } = schemas.Event ?? {};
  const data = properties.data?.properties ?? {};
  return {
    type: "object",
    description: when,
    properties: {
      ...properties,
      type: { type: "string", const: type },
      data: {
        ...properties.data,
        properties: { ...data, object: schemas[object] ? { $ref: `#/components/schemas/${object}` } : { type: "object" } },
      },
    },
    required,
  };
}

function operationOf(type: EventType, schemaName: string, example: JsonValue): ApiOperation {
  return {
    operationId: `on${eventName(type)}`,
    summary: type,
    description: eventExplanations[type].when,
    tags: ["Deliveries"],
    security: [],
    parameters: deliveryHeaders,
    requestBody: {
      description: "The event. Verify the signature over these very bytes before you parse them.",
      required: true,
      content: { "application/json": { schema: { $ref: `#/components/schemas/${schemaName}` }, example } },
    },
    responses: {
      "2XX": { description: "Any 2xx within 10 seconds counts as delivered. The body is not looked at." },
      "410": { description: "Disables the webhook at once." },
      "4XX": { description: "Not delivered. It is tried again up to seven times, over 34 hours and 42 minutes." },
      "5XX": { description: "Not delivered, and tried again likewise. `Retry-After` with 429 or 503 can lengthen the wait." },
    },
  };
}

const deliveryHeader = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
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
  deliveryHeader("X-Service-Delivery-Id", "This event's delivery to this webhook.", "dlv_01KA5V0V7W3Y5Z8J4QX2N6M9TC"),
  deliveryHeader("X-Service-Attempt", "1 for the first attempt.", "1"),
  deliveryHeader("webhook-id", "The event, as Standard Webhooks names it.", "evt_01KA5V0V7W3Y5Z8J4QX2N6M9TC"),
  deliveryHeader("webhook-timestamp", "Unix seconds.", "1769851800"),
  deliveryHeader(
    "webhook-signature",
    "The signature as Standard Webhooks has it: `v1,<base64>`, over `<id>.<timestamp>.<body>`.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];
