import { z } from "zod";
import { invalidBody } from "./errors";

const metadataKey = z.string().min(1).max(40);
const metadataValues = [
  z.string().max(500).meta({ title: "Text" }),
  z.number().meta({ title: "Number" }),
  z.boolean().meta({ title: "Boolean" }),
] as const;
const maximumMetadataKeys = 50;

const hasFewKeys = (value: object) => Object.keys(value).length <= maximumMetadataKeys;
/** Also for a patch whose merged result would have too many keys. */
const tooManyMetadataKeys = `must have at most ${maximumMetadataKeys} keys`;

/**
 * Metadata as it is stored: a flat object. A null is not a value, because in a PATCH it deletes its
 * key.
 */
export const metadata = z
  .record(
    metadataKey,
    z.union(metadataValues, {
      error: ({ input }) =>
        input === null ? "must not be null: only in a PATCH does null delete a key" : undefined,
    }),
  )
  .refine(hasFewKeys, tooManyMetadataKeys)
  .meta({
    id: "Metadata",
    description:
      "Your own data: a flat object of at most 50 keys, stored as sent. The key `__proto__` is refused.",
    examples: [{ plan: "gold" }],
    maxProperties: maximumMetadataKeys,
  });

/** Merged into what is stored. */
export const metadataPatch = z
  .record(metadataKey, z.union([...metadataValues, z.null().meta({ title: "Delete" })]))
  .refine(hasFewKeys, tooManyMetadataKeys)
  .meta({
    id: "MetadataPatch",
    description: "Merged into the stored metadata, key by key. A null deletes its key.",
    examples: [{ plan: "gold", trial: null }],
    maxProperties: maximumMetadataKeys,
  });

const maximumMetadataFilters = 5;

/** `metadata[plan]=gold` in the query of a list. */
export const metadataFilter = z
  .record(metadataKey, z.string().max(500), {
    error: ({ code }) =>
      code === "invalid_type" ? "must be written as `metadata[key]=value`" : undefined,
  })
  .refine(
    (value) => Object.keys(value).length <= maximumMetadataFilters,
    `must have at most ${maximumMetadataFilters} keys`,
  )
  .meta({
    description:
      "Only items with these values in `metadata`, such as `metadata[plan]=gold`. Numbers and booleans are compared as text.",
    examples: [{ plan: "gold" }],
    maxProperties: maximumMetadataFilters,
  });

export type Metadata = z.output<typeof metadata>;
export type MetadataPatch = z.output<typeof metadataPatch>;

/**
 * The stored metadata of a resource with a PATCH merged into it, as it will be read.
 * @throws AppError `validation` if it would have too many keys
 */
export function mergeMetadata(stored: unknown, patch: MetadataPatch | undefined): Metadata {
  const current = stored as Metadata;
  if (!patch) return current;
  const merged = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  if (merged.size > maximumMetadataKeys)
    throw invalidBody("/metadata", "too_big", tooManyMetadataKeys);
  return asRead(merged);
}

/** With its keys in the order in which PostgreSQL returns them. */
export const inStoredOrder = (metadata: Metadata): Metadata => asRead(Object.entries(metadata));

const asRead = (entries: Iterable<[string, Metadata[string]]>): Metadata =>
  Object.fromEntries([...entries].sort(([a], [b]) => compareStoredKeys(a, b)));

/** PostgreSQL orders the keys of `jsonb` by their length in bytes, and those of one length by their bytes. */
function compareStoredKeys(a: string, b: string): number {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length - other.length || Buffer.compare(one, other);
}
