import { isDeepStrictEqual } from "node:util";

/** The names of the fields in which two objects of one shape differ. */
export function changedFields<Shape extends object>(before: Shape, after: Shape): (keyof Shape)[] {
  return (Object.keys(after) as (keyof Shape)[]).filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

/** An event's `previousAttributes`: the changed fields as they were. */
export function previousAttributes<Shape extends object>(before: Shape, changed: (keyof Shape)[]): Partial<Shape> {
  return Object.fromEntries(changed.map((field) => [field, before[field]])) as Partial<Shape>;
}
