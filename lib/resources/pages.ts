import { z } from "zod";
import { describedId } from "./id-schema";
import { type IdKind, isId } from "./ids";

const defaultLimit = 20;
const maximumLimit = 100;

/**
 * The maximum number of items to return. Any larger number is read as the maximum.
 */
export const limitParameter = (items: string, maximum: number, byDefault: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]*$/, `must be a whole number from 1 to ${maximum}`)
    .transform((text) => Math.min(Number(text), maximum))
    .default(byDefault)
    .meta({
      description: `${items}: 1 to ${maximum}. A larger number is read as ${maximum}.`,
      // The value that the text in the query is parsed to.
      type: "integer",
      format: "int32",
      minimum: 1,
      maximum: 999_999_999,
      pattern: undefined,
      default: byDefault,
    });

const order = z
  .enum(["asc", "desc"])
  .meta({ id: "Order", description: "By creation: `asc` oldest first, `desc` newest first." });

/** The query of a list. The cursor is the id of the last item of the previous page. */
export const listQuery = <Filters extends z.ZodRawShape>(
  kind: IdKind,
  defaultOrder: "asc" | "desc",
  filters: Filters,
) =>
  z.strictObject({
    cursor: z
      .string()
      .refine((value) => isId(kind, value), {
        params: { kind: "invalid-cursor" },
        message: "must be a `nextCursor` of this list",
      })
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

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).meta({ description: "The items of this page.", maxItems: maximumLimit }),
    nextCursor: z.string().optional().meta({
      description: "The id of the last item. Present only when more pages exist.",
      maxLength: 31,
    }),
  });

/** How many rows a statement reads for a page, one more than the page has. */
export const rowSteps = [2, 21, 51, 101] as const;

/**
 * The number of rows to read for a page, for the text of a statement. If it were a parameter,
 * PostgreSQL would not know it, would expect a tenth of all rows, and would plan each execution
 * again. The numbers are rounded up in steps, so that there are few statements.
 */
export const rowsFor = (limit: number): (typeof rowSteps)[number] =>
  rowSteps.find((rows) => rows > limit) ?? 101;

/**
 * Takes a page from at least `limit + 1` rows, if there are so many.
 * @returns at most `limit` items, and the last one's id if more follow
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

/** For rows that are items already. */
export const asRead = <Item>(item: Item): Item => item;

/** Prisma's `where` and `orderBy` for a page by id. */
export function pageById({
  cursor,
  limit,
  order,
}: {
  cursor?: string | undefined;
  limit: number;
  order: "asc" | "desc";
}) {
  const beyond = order === "asc" ? { gt: cursor } : { lt: cursor };
  return { after: cursor ? { id: beyond } : {}, orderBy: { id: order }, take: limit + 1 };
}
