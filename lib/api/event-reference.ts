import { z } from "zod";
import { agent } from "@/lib/agents/schema";
import { message } from "@/lib/conversations/message-schema";
import { conversation } from "@/lib/conversations/schema";
import { customer } from "@/lib/customers/schema";
import { type EventType, eventTypes } from "@/lib/events/event-types";
import { type EventTypeList, event } from "@/lib/events/schema";
import { knowledgeBase } from "@/lib/knowledge/bases/schema";
import { document } from "@/lib/knowledge/documents/schema";
import { webhook } from "@/lib/webhooks/schema";
import { examples } from "./event-examples";

/** When each event is raised. */
export const eventDescriptions: Record<EventType, string> = {
  "conversation.created": "A conversation was created.",
  "conversation.updated": "Fields of a conversation other than its status changed.",
  "conversation.status_changed":
    "A conversation's status changed, and perhaps other fields with it.",
  "message.received": "A customer's message was added to a conversation.",
  "message.sent":
    "A message by a person, an agent or a program of yours was added to a conversation.",
  "customer.created": "A customer was created.",
  "customer.updated": "Fields of a customer changed.",
  "agent.created": "An agent was created, as a draft.",
  "agent.updated":
    "An agent changed otherwise than by being published: its draft, or whether it is archived.",
  "agent.published":
    "A person published an agent in the dashboard. The object is what was published.",
  "knowledge_base.created": "A knowledge base was created.",
  "document.created": "A document was uploaded, and waits to be processed.",
  "document.ready": "A document was processed, and can be found.",
  "document.failed": "A document could not be processed; its `error` says why.",
  "document.deleted": "A document was deleted. The object is what it was at last.",
  "webhook.disabled":
    "Another webhook of yours was disabled, because its receiver failed too often or said that it is gone.",
  "webhook.test": "A test was asked for. The object is the webhook that gets it.",
};

const aboutData = "What the event is about.";
const typeOf = <Type extends EventType>(type: Type) =>
  z.literal(type).meta({ description: "What happened." });

/** An event that tells of a thing which came to be, or is no more. */
function eventAbout<Type extends EventType>(type: Type, object: z.ZodObject) {
  return event.extend({
    type: typeOf(type),
    data: z.object({ object }).meta({ description: aboutData }),
  });
}

/** An event that tells of a change. */
function changeOf<Type extends EventType>(type: Type, object: z.ZodObject) {
  const previousAttributes = z
    .object(object.partial().shape)
    .optional()
    .meta({ description: "The previous values of the fields that changed." });
  return event.extend({
    type: typeOf(type),
    data: z.object({ object, previousAttributes }).meta({ description: aboutData }),
  });
}

/** What each event holds. `data.object` is what the API would answer for the same thing. */
export const eventSchemas: Record<EventType, z.ZodType> = {
  "conversation.created": eventAbout("conversation.created", conversation),
  "conversation.updated": changeOf("conversation.updated", conversation),
  "conversation.status_changed": changeOf("conversation.status_changed", conversation),
  "message.received": eventAbout("message.received", message),
  "message.sent": eventAbout("message.sent", message),
  "customer.created": eventAbout("customer.created", customer),
  "customer.updated": changeOf("customer.updated", customer),
  "agent.created": eventAbout("agent.created", agent),
  "agent.updated": changeOf("agent.updated", agent),
  "agent.published": changeOf("agent.published", agent),
  "knowledge_base.created": eventAbout("knowledge_base.created", knowledgeBase),
  "document.created": eventAbout("document.created", document),
  "document.ready": eventAbout("document.ready", document),
  "document.failed": eventAbout("document.failed", document),
  "document.deleted": eventAbout("document.deleted", document),
  "webhook.disabled": eventAbout("webhook.disabled", webhook),
  "webhook.test": eventAbout("webhook.test", webhook),
};

let list: EventTypeList | undefined;

/** Every type of event, with its JSON Schema and an example. The same for every tenant. */
export function listEventTypes(): EventTypeList {
  list ??= {
    data: eventTypes.map((type) => ({
      type,
      description: eventDescriptions[type],
      schema: jsonSchema(type),
      example: examples[type],
    })),
  };
  return list;
}

/** In the form for those who read events: fields that are added later are no error. */
function jsonSchema(type: EventType): Record<string, unknown> {
  return {
    title: type,
    description: eventDescriptions[type],
    ...z.toJSONSchema(eventSchemas[type], { io: "input" }),
  };
}
