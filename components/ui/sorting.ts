import { withQuery } from "./pager";

/**
 * The page of a list that can be sorted. `initial` is what it is sorted by without a choice, newest
 * first: the creation.
 */
export type Sorting = {
  path: string;
  query: Record<string, string | string[] | undefined>;
  initial: "created";
};

type Order = "asc" | "desc";

const texts = new Set(["name", "url", "status"]);

const orderNames: Record<"text" | "time" | "number", Record<Order, string>> = {
  text: { asc: "A to Z", desc: "Z to A" },
  time: { desc: "newest first", asc: "oldest first" },
  number: { desc: "highest first", asc: "lowest first" },
};

function kindOf(column: string): keyof typeof orderNames {
  if (texts.has(column)) return "text";
  return column === "created" || column.endsWith("At") ? "time" : "number";
}

/** Both orders of a column, the usual one first: names from A, times and numbers from the top. */
export const ordersOf = (column: string): readonly Order[] =>
  texts.has(column) ? ["asc", "desc"] : ["desc", "asc"];

export const orderName = (column: string, order: Order): string =>
  orderNames[kindOf(column)][order];

/** How the list is sorted by the column now. */
export function currentOrder(column: string, { query, initial }: Sorting): Order | null {
  if ((query.sort ?? initial) !== column) return null;
  return query.order === "asc" ? "asc" : "desc";
}

/** The URL of the list in this order. */
export const sortedHref = (column: string, order: Order, { path, query, initial }: Sorting) =>
  withQuery(path, query, {
    sort: column === initial ? null : column,
    order: order === "asc" ? order : null,
  });
