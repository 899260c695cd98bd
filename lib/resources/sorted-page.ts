/** A list that is sorted in memory is read up to here, newest first. */
export const mostSorted = 5_000;

type Page = { cursor?: string | undefined; limit: number; order: "asc" | "desc" };
type Value = string | number | Date | null;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/**
 * A page of a small list of the dashboard, in the order of a column that has no index. Letter case
 * is ignored, empty values come last, and equal ones are in the order of their ids.
 * @param keys of all rows: the column and the id
 * @param load reads the rows of a page, in any order
 */
export async function sortedPage<
  Column extends string,
  Key extends { id: string } & Record<Column, Value>,
  Row extends { id: string },
>(
  keys: Key[],
  column: Column,
  { cursor, limit, order }: Page,
  load: (ids: string[]) => Promise<Row[]>,
): Promise<{ data: Row[]; nextCursor?: string }> {
  const sign = order === "asc" ? 1 : -1;
  const sorted = keys.toSorted((a, b) => {
    const [first, second]: [Value, Value] = [a[column], b[column]];
    if (first === null || second === null)
      return Number(first === null) - Number(second === null) || compareIds(a, b);
    return sign * compare(first, second) || compareIds(a, b);
  });
  // A row that was deleted since is not found: the list starts again.
  const start = cursor === undefined ? 0 : sorted.findIndex(({ id }) => id === cursor) + 1;
  const ids = sorted.slice(start, start + limit).map(({ id }) => id);
  const rows = new Map((await load(ids)).map((row) => [row.id, row]));
  const data = ids.flatMap((id) => rows.get(id) ?? []);
  const nextCursor = start + limit < sorted.length ? ids.at(-1) : undefined;
  return { data, ...(nextCursor && { nextCursor }) };
}

const compareIds = (a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1);

const compare = (a: Exclude<Value, null>, b: Exclude<Value, null>): number =>
  typeof a === "string" && typeof b === "string" ? collator.compare(a, b) : Number(a) - Number(b);
