import type { z } from "zod";

type Definition = {
  innerType?: z.ZodType;
  in?: z.ZodType;
  options?: z.ZodType[];
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
};

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;

/** The objects that this schema accepts: itself, or those inside it. */
function objectsIn(schema: z.ZodType): Record<string, z.ZodType>[] {
  const { shape, innerType, in: before, options = [] } = definitionOf(schema);
  if (shape) return [shape];
  return [innerType, before, ...options].flatMap((inner) => (inner ? objectsIn(inner) : []));
}

/** The fields that a schema has at a path. */
function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const [first, ...rest] = path;
  const shapes = objectsIn(schema);
  if (first === undefined) return shapes.flatMap((shape) => Object.keys(shape));
  return shapes.flatMap((shape) =>
    shape[String(first)] ? knownFields(shape[String(first)] as z.ZodType, rest) : [],
  );
}

const largestDistance = 2;

/** The field that was probably meant. */
export const suggestField = (
  schema: z.ZodType,
  path: readonly PropertyKey[],
  unknown: string,
): string | undefined => nearestName(knownFields(schema, path), unknown);

/** The name that differs by at most two edits, and by at most half of the name. */
export function nearestName(names: readonly string[], unknown: string): string | undefined {
  const farthest = Math.min(largestDistance, unknown.length / 2);
  const distances = names.map((name) => ({
    name,
    distance: editDistance(unknown, name),
  }));
  return distances
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)[0]?.name;
}

/**
 * The Levenshtein distance. If the lengths differ by more than `largestDistance`, any larger
 * number.
 */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > largestDistance) return largestDistance + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
