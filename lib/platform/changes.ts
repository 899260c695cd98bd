import { isDeepStrictEqual } from "node:util";

/**
 * The time of a change to a locked row: now, but never before the previous change. Clocks of
 * processes differ, and a time that was read before the lock may be older than the change that held
 * the lock.
 */
export const timeOfChange = (previous: Date | string): Date =>
  new Date(Math.max(Date.now(), new Date(previous).getTime()));

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** JSON shows -0 as 0, and PostgreSQL stores it as 0 in JSON. */
function withoutNegativeZero(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutNegativeZero(each)]),
  );
}

/** The names of the fields that differ between two objects of the same type. */
export function changedFields<Shape extends object>(before: Shape, after: Shape): (keyof Shape)[] {
  return (Object.keys(after) as (keyof Shape)[]).filter(
    (field) =>
      !isDeepStrictEqual(withoutNegativeZero(before[field]), withoutNegativeZero(after[field])),
  );
}

/** An event's `previousAttributes`: the previous values of the changed fields. */
export function previousAttributes<Shape extends object>(
  before: Shape,
  changed: (keyof Shape)[],
): Partial<Shape> {
  return Object.fromEntries(changed.map((field) => [field, before[field]])) as Partial<Shape>;
}
