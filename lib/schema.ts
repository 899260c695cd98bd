import { z } from "zod";
import { type IdKind, idPrefixes, isId } from "@/lib/ids";

/**
 * A text of at most so many UTF-16 code units. The length is checked first, and a text that is too long is read no
 * further: normalizing can make a text 18 times as long, and splitting or spreading it takes many times its memory.
 */
export const text = (maximum: number, error?: string) => z.string().max(maximum, { abort: true, ...(error && { error }) });

/** A time in a response: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: "date-time", maxLength: 24, examples: ["2026-01-31T09:30:00.000Z"] });

export const createdAt = timestamp.meta({ description: "When it was created." });
export const updatedAt = timestamp.meta({ description: "When it was last changed." });

export const environment = z
  .enum(["live", "test"])
  .meta({ id: "Environment", description: "`live` is billed. `test` is free, and its data is isolated from live." });

/** Text in a response. Its length was checked when it was stored, so here it is only documented. */
export const storedText = (maximum: number, description: string) => z.string().meta({ maxLength: maximum, description });

/** A whole number in a response. Its bounds are only documented, too. */
export const integer = (description: string, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = {}) =>
  z.number().int().meta({ description, minimum, maximum });

const exampleId = (kind: IdKind) => `${idPrefixes[kind]}_01KA5V0V7W3Y5Z8J4QX2N6M9TC`;

/** What each kind of id is called in the documentation. */
const nouns: Partial<Record<IdKind, string>> = { tenant: "account", user: "member", apiKey: "API key", knowledgeBase: "knowledge base" };

const describedId = (kind: IdKind) => ({
  description: `The id of the ${nouns[kind] ?? kind}.`,
  examples: [exampleId(kind)],
  pattern: `^${idPrefixes[kind]}_[0-9A-HJKMNP-TV-Z]{26}$`,
  maxLength: idPrefixes[kind].length + 27,
});

/** An id in a response. */
export const idOf = (kind: IdKind) => z.string().meta(describedId(kind));

/** An id in a path. One that cannot exist is answered as one that does not. */
export const idParameter = (kind: IdKind) =>
  z
    .string()
    .refine((value) => isId(kind, value), { params: { kind: "not-found", idKind: kind } })
    .meta(describedId(kind));

/** A reference in a body. Whether it exists in the caller's partition, the service finds out. */
export const reference = (kind: IdKind) =>
  z
    .string()
    .refine((value) => isId(kind, value), `must be an id that starts with ${idPrefixes[kind]}_`)
    .meta(describedId(kind));

/** A name, stored as it was sent. White space alone is not a name. */
export const nameText = (maximum: number) =>
  text(maximum)
    .check(({ value, issues }) => {
      if (value.trim() === "")
        issues.push({ code: "too_small", origin: "string", minimum: 1, inclusive: true, input: value, message: "must not be blank" });
    })
    .meta({ minLength: 1, pattern: "\\S" });

/** A list of distinct items. A repeated item is refused, because dropping it would not store what was sent. */
export const distinct = <Item extends z.ZodType<string>>(items: z.ZodArray<Item>) =>
  items
    .superRefine((list, context) => {
      for (const [index, item] of list.entries()) {
        if (list.indexOf(item) === index) continue;
        context.addIssue({ code: "custom", path: [index], params: { code: "repeated" }, message: "must not be in the list twice" });
      }
    })
    .meta({ uniqueItems: true });

const metadataKey = z.string().min(1).max(40);
const metadataValues = [
  z.string().max(500).meta({ title: "Text" }),
  z.number().meta({ title: "Number" }),
  z.boolean().meta({ title: "Boolean" }),
] as const;
const maximumMetadataKeys = 50;

const hasFewKeys = (value: object) => Object.keys(value).length <= maximumMetadataKeys;
const tooManyKeys = `holds at most ${maximumMetadataKeys} keys`;

/** Metadata as it is stored: a flat object. A null is not a value, because in a PATCH it deletes its key. */
export const metadata = z
  .record(
    metadataKey,
    z.union(metadataValues, {
      error: ({ input }) => (input === null ? "must not be null; null deletes a key, and only in a PATCH" : undefined),
    }),
  )
  .refine(hasFewKeys, tooManyKeys)
  .meta({
    id: "Metadata",
    description: "Your own data: a flat object of at most 50 keys, stored as sent. The key `__proto__` is refused.",
    examples: [{ plan: "gold" }],
    maxProperties: maximumMetadataKeys,
  });

/** Merged into what is stored. */
export const metadataPatch = z
  .record(metadataKey, z.union([...metadataValues, z.null().meta({ title: "Delete" })]))
  .refine(hasFewKeys, tooManyKeys)
  .meta({
    id: "MetadataPatch",
    description: "Merged into the stored metadata, key by key. A null deletes its key.",
    examples: [{ plan: "gold", trial: null }],
    maxProperties: maximumMetadataKeys,
  });

export type Metadata = z.output<typeof metadata>;
export type MetadataPatch = z.output<typeof metadataPatch>;

/** @returns the merged metadata, or null where it would hold too many keys. */
export function mergeMetadata(current: Metadata, patch: MetadataPatch): Metadata | null {
  const merged = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return merged.size <= maximumMetadataKeys ? Object.fromEntries(merged) : null;
}

/** A time in a request: RFC 3339 with `Z` or an offset. */
export const instant = z.iso
  .datetime({ offset: true, abort: true })
  .meta({ maxLength: 40 })
  .refine((text) => text >= "1970" && text < "9999", "lies outside of the years 1970 to 9998")
  .transform((text) => new Date(text));

/** The same, or what a browser's field for date and time gives: that has no offset, and is taken as UTC. */
export const instantOrMinute = z
  .string()
  .transform((text) => (/^[0-9-]+T\d{2}:\d{2}$/.test(text) ? `${text}:00Z` : text))
  .pipe(instant);

const defaultLimit = 20;
const maximumLimit = 100;

/** How many items to return at most. A larger number than the maximum is taken as the maximum, however large it is. */
export const limitParameter = (items: string, maximum: number, byDefault: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]*$/, `must be a whole number from 1 to ${maximum}`)
    .transform((text) => Math.min(Number(text), maximum))
    .default(byDefault)
    .meta({
      description: `${items}: 1 to ${maximum}. A larger number is taken as ${maximum}.`,
      // What the text in the query is read as.
      type: "integer",
      format: "int32",
      minimum: 1,
      maximum: 999_999_999,
      pattern: undefined,
      default: byDefault,
    });

const order = z.enum(["asc", "desc"]).meta({ id: "Order", description: "By creation: `asc` oldest first, `desc` newest first." });

/** The query of a list: the cursor is the id of the last item of the page before. */
export const listQuery = <Filters extends z.ZodRawShape>(kind: IdKind, defaultOrder: "asc" | "desc", filters: Filters) =>
  z.strictObject({
    cursor: z
      .string()
      .refine((value) => isId(kind, value), { params: { kind: "invalid-cursor" }, message: "is no cursor of this list" })
      .optional()
      .meta({
        description: "`nextCursor` of the previous page.",
        pattern: describedId(kind).pattern,
        maxLength: describedId(kind).maxLength,
      }),
    limit: limitParameter("Items per page", maximumLimit, defaultLimit),
    order: order.default(defaultOrder),
    ...filters,
  });

/** `OPEN,PENDING`: any of them. */
export const commaList = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  text(500)
    .transform((text) => [...new Set(text.split(","))])
    .pipe(z.array(z.enum(values)).min(1))
    .meta({ type: "array", items: { type: "string", enum: values }, maxItems: values.length, uniqueItems: true, maxLength: undefined });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).meta({ description: "The items of this page.", maxItems: maximumLimit }),
    nextCursor: z.string().optional().meta({ description: "The id of the last item. Present only when more pages exist.", maxLength: 31 }),
  });

/**
 * Cuts a page out of `limit + 1` rows.
 * @returns at most `limit` items, and the last one's id where more follow.
 */
export function toPage<Row extends { id: string }, Item>(
  rows: Row[],
  limit: number,
  toItem: (row: Row) => Item,
): { data: Item[]; nextCursor?: string } {
  const items = rows.length > limit ? rows.slice(0, limit) : rows;
  const last = rows.length > limit ? items.at(-1) : undefined;
  return last ? { data: items.map(toItem), nextCursor: last.id } : { data: items.map(toItem) };
}

/** Prisma's `where` and `orderBy` for a page by id. */
export function pageById({ cursor, limit, order }: { cursor?: string | undefined; limit: number; order: "asc" | "desc" }) {
  const beyond = order === "asc" ? { gt: cursor } : { lt: cursor };
  return { after: cursor ? { id: beyond } : {}, orderBy: { id: order }, take: limit + 1 };
}

export const deleted = (kind: IdKind) => z.object({ id: idOf(kind), deleted: z.literal(true).meta({ description: "Always true." }) });
