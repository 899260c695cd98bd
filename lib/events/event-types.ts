import { type NounsWith, type nouns, partsOf } from "@/lib/resources/registry";

/** The nouns that have events. */
export type EventNoun = NounsWith<"events">;

/** The event types of one noun. */
export type EventTypeOf<Noun extends EventNoun> = (typeof nouns)[Noun]["events"][number];

export type EventType = EventTypeOf<EventNoun>;

/** Every event type, in the order of the catalog. */
export const eventTypes = partsOf("events").flat() as [EventType, ...EventType[]];

const families = [...new Set(eventTypes.map((type) => type.split(".")[0]))].map(
  (family) => `${family}.*` as const,
);

/** What a webhook can subscribe to: an event type, all types of a family, or everything. */
export const eventPatterns: readonly string[] = ["*", ...families, ...eventTypes];

/** The types that a webhook with these patterns receives. It is sent tests whatever it subscribes to. */
export const typesOfPatterns = (patterns: readonly string[]): EventType[] =>
  eventTypes.filter(
    (type) =>
      type !== "webhook.test" &&
      ["*", `${type.split(".")[0]}.*`, type].some((pattern) => patterns.includes(pattern)),
  );
