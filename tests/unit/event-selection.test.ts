import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type EventFamily,
  familyState,
  isSelected,
  toggleAllEvents,
  toggleFamily,
  toggleType,
} from "@/components/webhooks/event-selection";
import { eventFamilies } from "@/lib/api/event-reference";
import { eventPatterns, eventTypes } from "@/lib/events/event-types";

const families: EventFamily[] = eventFamilies();
const [conversation, message] = families as [EventFamily, EventFamily];

const chosen = (patterns: readonly string[]) =>
  families.flatMap((family) =>
    family.types.map(({ type }) => type).filter((type) => isSelected(patterns, family, type)),
  );

test("the tree contains every type once, and its patterns are those that a webhook may have", () => {
  expect(families.flatMap(({ types }) => types.map(({ type }) => type))).toEqual(eventTypes);
  expect(families.every(({ pattern }) => eventPatterns.includes(pattern))).toBe(true);
});

test("removing one type from everything keeps all other families and the other types of its own", () => {
  const patterns = toggleType(["*"], conversation, "conversation.updated", false, families);
  expect(patterns.slice(0, 4)).toEqual([
    "conversation.created",
    "conversation.status_changed",
    "conversation.deleted",
    "message.*",
  ]);
  expect(chosen(patterns)).toEqual(eventTypes.filter((type) => type !== "conversation.updated"));
  expect(familyState(patterns, conversation)).toBe("some");
  expect(familyState(patterns, message)).toBe("all");
});

test("a whole family replaces its types, and includes later ones", () => {
  expect(toggleFamily(["message.sent", "customer.created"], message, true, families)).toEqual([
    "message.*",
    "customer.created",
  ]);
  expect(toggleFamily(["*"], message, false, families)).not.toContain("message.*");
  expect(toggleAllEvents(true)).toEqual(["*"]);
  expect(toggleAllEvents(false)).toEqual([]);
});

test("after any clicks in any order, a box shows what it was set to and no other type changes", () => {
  const place = fc.nat(eventTypes.length - 1);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(place, fc.boolean(), fc.boolean()), { maxLength: 12 }),
      fc.boolean(),
      (clicks, startsWithAll) => {
        let patterns = toggleAllEvents(startsWithAll);
        for (const [index, isOn, isFamily] of clicks) {
          const type = eventTypes[index] as string;
          const family = families.find(({ types }) =>
            types.some((member) => member.type === type),
          ) as EventFamily;
          const before = chosen(patterns);
          patterns = isFamily
            ? toggleFamily(patterns, family, isOn, families)
            : toggleType(patterns, family, type, isOn, families);
          const changed = isFamily ? family.types.map((member) => member.type) : [type];
          const expected = eventTypes.filter((candidate) =>
            changed.includes(candidate) ? isOn : before.includes(candidate),
          );
          expect(chosen(patterns)).toEqual(expected);
          expect(patterns.every((pattern) => eventPatterns.includes(pattern))).toBe(true);
        }
      },
    ),
  );
});
