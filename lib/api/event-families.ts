import { type EventType, eventTypes } from "@/lib/events/event-types";
import { examples } from "./event-examples";
import { eventDescriptions } from "./event-reference";

/**
 * The catalogue as a tree: each family with the pattern that stands for it, and an example of each
 * of its types.
 */
export function eventFamilies() {
  const names = [...new Set(eventTypes.map(familyOf))];
  return names.map((name) => ({
    name,
    pattern: `${name}.*`,
    types: eventTypes
      .filter((type) => familyOf(type) === name)
      .map((type) => ({
        type,
        description: eventDescriptions[type],
        example: JSON.stringify(examples[type], null, 2),
      })),
  }));
}

const familyOf = (type: EventType) => type.slice(0, type.indexOf("."));
