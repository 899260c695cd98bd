import { isDeepStrictEqual } from "node:util";

/**
 * The time of a change to a locked row: now, but never before the previous change. Clocks of
 * processes differ, and a time that was read before the lock may be older than the change that held
 * the lock.
 */
export const timeOfChange = (previous: Date): Date =>
  new Date(Math.max(Date.now(), previous.getTime()));

/** The names of the fields that differ between two objects of the same type. */
export function changedFields<Shape extends object>(before: Shape, after: Shape): (keyof Shape)[] {
  return (Object.keys(after) as (keyof Shape)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
}

/** An event's `previousAttributes`: the previous values of the changed fields. */
export function previousAttributes<Shape extends object>(
  before: Shape,
  changed: (keyof Shape)[],
): Partial<Shape> {
  return Object.fromEntries(changed.map((field) => [field, before[field]])) as Partial<Shape>;
}
