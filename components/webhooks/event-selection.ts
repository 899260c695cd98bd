/** A family of event types, and the pattern for all of it, including future types. */
export type EventFamily = {
  name: string;
  pattern: string;
  types: { type: string; description: string; example: string }[];
};

export const allEvents = "*";

export type FamilyState = "all" | "some" | "none";

export const isSelected = (patterns: readonly string[], { pattern }: EventFamily, type: string) =>
  patterns.includes(allEvents) || patterns.includes(pattern) || patterns.includes(type);

export function familyState(patterns: readonly string[], family: EventFamily): FamilyState {
  if (patterns.includes(allEvents) || patterns.includes(family.pattern)) return "all";
  return family.types.some(({ type }) => patterns.includes(type)) ? "some" : "none";
}

export const toggleAllEvents = (isOn: boolean): string[] => (isOn ? [allEvents] : []);

/** `isOn`: selects the whole family, including future types, instead of single types. */
export function toggleFamily(
  patterns: readonly string[],
  family: EventFamily,
  isOn: boolean,
  families: EventFamily[],
): string[] {
  if (isOn && familyState(patterns, family) === "all") return [...patterns];
  const others = withoutFamily(expandAllEvents(patterns, families), family);
  return inOrder(isOn ? [...others, family.pattern] : others, families);
}

/** Removing one type from a pattern replaces the pattern with the remaining types. */
export function toggleType(
  patterns: readonly string[],
  family: EventFamily,
  type: string,
  isOn: boolean,
  families: EventFamily[],
): string[] {
  if (isOn)
    return isSelected(patterns, family, type)
      ? [...patterns]
      : inOrder([...patterns, type], families);
  const spread = expandAllEvents(patterns, families);
  const ofFamily = family.types
    .map((member) => member.type)
    .filter((member) => isSelected(spread, family, member) && member !== type);
  return inOrder([...withoutFamily(spread, family), ...ofFamily], families);
}

const expandAllEvents = (patterns: readonly string[], families: EventFamily[]) =>
  patterns.includes(allEvents) ? families.map(({ pattern }) => pattern) : [...patterns];

const withoutFamily = (patterns: readonly string[], { pattern, types }: EventFamily) =>
  patterns.filter(
    (candidate) => candidate !== pattern && !types.some(({ type }) => type === candidate),
  );

/** In the order of the event catalog, so that the same selection is always the same list. */
function inOrder(patterns: string[], families: EventFamily[]): string[] {
  const order = families.flatMap(({ pattern, types }) => [
    pattern,
    ...types.map(({ type }) => type),
  ]);
  return order.filter((pattern) => patterns.includes(pattern));
}
