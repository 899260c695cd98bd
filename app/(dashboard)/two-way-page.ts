import type { z } from "zod";
import type { Query } from "./dashboard-page";
import { parse } from "./run-action";

type Search = { cursor?: string | undefined; order: "asc" | "desc"; limit: number };
type Page<Item> = { data: Item[]; nextCursor?: string };

/**
 * Reads a page of a list by cursor, forwards or backwards. `before` is the cursor before which the
 * page ends: such a page is the next one in the reverse order.
 * @param cursorOf the cursor after an item, if it is not the item's id
 */
export async function twoWayPage<
  Query extends Search,
  Item extends { id: string },
  Found extends Page<Item>,
>(
  search: Query,
  before: string | undefined,
  list: (search: Query) => Promise<Found>,
  cursorOf: (item: Item) => string = ({ id }) => id,
): Promise<Found & { previousCursor?: string | undefined }> {
  if (before === undefined) {
    const page = await list(search);
    const [first] = page.data;
    return { ...page, previousCursor: search.cursor && first && cursorOf(first) };
  }
  const order = search.order === "asc" ? "desc" : "asc";
  const reversed = await list({ ...search, order, cursor: before });
  // The start of the list: shows a full page, from the first item on.
  if (!reversed.nextCursor) return list({ ...search, cursor: undefined });
  const data = reversed.data.toReversed();
  // A scan that ended before it found anything continues from where it ended, in both directions.
  const last = data.at(-1);
  const nextCursor = last ? cursorOf(last) : reversed.nextCursor;
  return { ...reversed, data, nextCursor, previousCursor: reversed.nextCursor };
}

/**
 * Parses the query of a page whose list can be read backwards. `before` is checked like a cursor,
 * because it is one in the reverse order.
 */
export function parsePage<Schema extends z.ZodType>(
  schema: Schema,
  { before, ...query }: Query,
): { search: z.output<Schema>; before: string | undefined } {
  const start = before === undefined ? query : { ...query, cursor: before };
  const search = parse(schema, start, "query");
  return { search, before: typeof before === "string" ? before : undefined };
}
