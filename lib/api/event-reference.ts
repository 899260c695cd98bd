import { z } from "zod";
import { agentEvents } from "@/lib/agents/events";
import { conversationEvents, messageEvents } from "@/lib/conversations/events";
import { customerEvents } from "@/lib/customers/events";
import type { EventDeclaration } from "@/lib/events/declare-event";
import { type EventType, eventTypes } from "@/lib/events/event-types";
import { type Event, type EventTypeList, event } from "@/lib/events/schema";
import { knowledgeBaseEvents } from "@/lib/knowledge/bases/events";
import { documentEvents } from "@/lib/knowledge/documents/events";
import { webhookEvents } from "@/lib/webhooks/events";

/** The declarations of all event types. The compiler reports a missing one. */
const declarations: Record<EventType, EventDeclaration> = {
  ...conversationEvents,
  ...messageEvents,
  ...customerEvents,
  ...agentEvents,
  ...knowledgeBaseEvents,
  ...documentEvents,
  ...webhookEvents,
};

/** An event type, with the schema and an example of the whole event. */
export type DescribedEvent = Pick<EventDeclaration, "description" | "triggers"> & {
  schema: z.ZodObject;
  example: Event;
};

export const describedEvents = Object.fromEntries(
  eventTypes.map((type) => [type, toDescribedEvent(type, declarations[type])]),
) as Record<EventType, DescribedEvent>;

function toDescribedEvent(
  type: EventType,
  { description, triggers, data, example }: EventDeclaration,
): DescribedEvent {
  const schema = event.extend({
    type: z.literal(type).meta({ description: "What happened." }),
    data: data.meta({ description: event.shape.data.meta()?.description }),
  });
  const { timestamp, request, data: shown } = example;
  const whole: Event = {
    id: "evt_01KG9P5Y41S6B3M8X2F7Z9D4KC",
    type,
    apiVersion: "v1",
    environment: "test",
    timestamp,
    data: shown,
    request,
  };
  return { description, triggers, schema, example: whole };
}

/** What a test of this type sends. `webhook.test` itself needs no example. */
export const testExampleOf = (type: EventType): Event | undefined =>
  type === "webhook.test" ? undefined : describedEvents[type].example;

let list: EventTypeList | undefined;

/** Every event type, with its JSON Schema and an example. The same for every tenant. */
export function listEventTypes(): EventTypeList {
  list ??= {
    data: eventTypes.map((type) => {
      const { description, schema, example } = describedEvents[type];
      return { type, description, schema: jsonSchema(type, schema, description), example };
    }),
  };
  return list;
}

/** The JSON Schema of an event. It allows unknown fields, because a later version may add some. */
const jsonSchema = (
  type: EventType,
  schema: z.ZodObject,
  description: string,
): Record<string, unknown> => ({
  title: type,
  description,
  ...z.toJSONSchema(schema, { io: "input" }),
});

/** The catalog as a tree: each family with its pattern and its event types. */
export function eventFamilies() {
  const names = [...new Set(eventTypes.map(familyOf))];
  return names.map((name) => ({
    name,
    pattern: `${name}.*`,
    types: eventTypes
      .filter((type) => familyOf(type) === name)
      .map((type) => ({
        type,
        description: describedEvents[type].description,
        example: JSON.stringify(describedEvents[type].example, null, 2),
      })),
  }));
}

const familyOf = (type: EventType) => type.slice(0, type.indexOf("."));
