import { describedEvents, eventFamilies } from "@/lib/api/event-reference";
import { genericDocument } from "@/lib/api/openapi";
import { type EventType, eventTypes } from "@/lib/events/event-types";
import { type JsonSchema, resolveSchema } from "@/lib/platform/openapi";
import { type DocsDocument, type DocsSection, jsonBlock } from "./document";
import { objectLines } from "./fields";

export const catalogIntro = [
  "Each committed change raises one event. It is written in the same transaction and never changes. `data.object` is exactly what the API would have returned for the object at that moment. `previousAttributes` contains the previous values of the fields that changed. `request` is the API request that made the change, or null if a user of the dashboard or the service made it.",
  "Subscribe to single types, to a family such as `conversation.*`, or to everything with `*`. New types may be added, so respond with 2xx to types that you do not know.",
] as const;

/** What is true of the deliveries of every event. */
const deliveryNotes = [
  "It is sent to every enabled webhook that subscribes to the type, and is listed in the event feed and the event stream for 30 days.",
  'A webhook can receive it more than once, always with the same `id`. Its order relative to other events is not guaranteed, unless the webhook has `ordering: "conversation"`.',
  "Any 2xx within 10 seconds counts as delivered. Anything else is retried seven times, over 34 hours and 42 minutes.",
];
const filterNote = "A webhook with a `filter` receives it only if the conversation matches.";
const testNotes = [
  "It is sent once, to the tested webhook, and is listed in the event feed as `webhook.test`.",
];

export function notesOf(type: EventType): string[] {
  if (type === "webhook.test") return testNotes;
  return /^(conversation|message)\./.test(type) ? [...deliveryNotes, filterNote] : deliveryNotes;
}

/** The part of the event that depends on its type. */
export function dataOf(type: EventType): JsonSchema {
  const { webhooks, components } = genericDocument();
  const schema = webhooks[type]?.post.requestBody?.content["application/json"]?.schema ?? {};
  return resolveSchema(components.schemas, schema).properties?.data ?? {};
}

/** The schema of every event, in which `data` depends on the type. */
export function envelope(): JsonSchema {
  const { properties = {} } = genericDocument().components.schemas.WebhookTestEvent ?? {};
  const { description = "" } = properties.data ?? {};
  const type = { type: "string", description: "What happened. New types may be added." };
  return { properties: { ...properties, type, data: { type: "object", description } } };
}

const section = (title: string, anchor: string, markdown: string): DocsSection => ({
  title,
  anchor,
  level: 2,
  markdown,
});
const bulleted = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");

export const eventsDocument = (): DocsDocument => ({
  path: "/docs/events",
  title: "Event catalog",
  summary: "Every type of event, with its trigger, its fields and an example.",
  source: "lib/api/event-reference.ts",
  intro: catalogIntro.join("\n\n"),
  sections: [
    section(
      "The envelope",
      "the-envelope",
      objectLines(genericDocument().components.schemas, envelope()).join("\n"),
    ),
    ...eventFamilies().map(({ name, pattern, types }) =>
      section(
        pattern,
        name,
        types
          .map(({ type, description }) => `- [\`${type}\`](/docs/events/${type}): ${description}`)
          .join("\n"),
      ),
    ),
  ],
});

export const eventDocuments = (): DocsDocument[] => eventTypes.map(eventDocument);

function eventDocument(type: EventType): DocsDocument {
  const { description, triggers, example } = describedEvents[type];
  const { schemas } = genericDocument().components;
  return {
    path: `/docs/events/${type}`,
    title: type,
    summary: description,
    source: "lib/api/event-reference.ts",
    intro: "",
    sections: [
      section("What raises it", "what-raises-it", bulleted(triggers)),
      section("Fields of data", "fields-of-data", objectLines(schemas, dataOf(type)).join("\n")),
      section("Example", "example", jsonBlock(example)),
      section("Delivery", "delivery", bulleted(notesOf(type))),
    ],
  };
}
