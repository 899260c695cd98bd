import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "./link";
import { SortMenu } from "./sort-menu";
import { currentOrder, ordersOf, type Sorting, sortedHref } from "./sorting";

export { Cell, Row, RowActions, RowName } from "./table-cells";
export type { Sorting };

export type Heading = {
  label: string;
  align?: "left" | "right";
  isHidden?: boolean;
  /** What the query calls the column, if the list can be sorted by it. */
  sort?: string;
};

/**
 * A table. On a narrow screen, each row is a block whose cells show their
 * heading. The first cell of a row is its name (`RowName`), the others are `Cell`s in the order of
 * the headings. The orders of a list that can be sorted are in a menu there.
 * @param caption the content and its order, for screen readers only.
 */
export function Table({
  caption,
  headings,
  sorting,
  children,
}: {
  caption: string;
  headings: Heading[];
  sorting?: Sorting;
  children: ReactNode;
}) {
  const sortable = headings.flatMap(({ label, sort }) =>
    sorting && sort ? { label, column: sort } : [],
  );
  return (
    <>
      {sorting && sortable.length > 0 ? <SortMenu columns={sortable} sorting={sorting} /> : null}
      <div className="rounded-2xl border border-line bg-surface">
        <table className="block w-full lg:table">
          <caption className="sr-only">{caption}</caption>
          <thead className="sr-only lg:not-sr-only lg:table-header-group">
            <tr className="border-line border-b text-left text-muted text-xs">
              {headings.map(({ label, align, isHidden, sort }) => (
                <th
                  key={label}
                  scope="col"
                  aria-sort={sorting && sort ? ariaSort(sort, sorting) : undefined}
                  className={`whitespace-nowrap px-3 py-2.5 font-medium first:pl-5 last:pr-5 ${align === "right" ? "not-last:pr-6 text-right" : ""}`}
                >
                  {isHidden ? (
                    <span className="sr-only">{label}</span>
                  ) : sorting && sort ? (
                    <SortLink label={label} column={sort} sorting={sorting} />
                  ) : (
                    label
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="block divide-y divide-line lg:table-row-group">{children}</tbody>
        </table>
      </div>
    </>
  );
}

/** "Agents, newest first", until another order is chosen, which the headings tell. */
export const sortedCaption = (what: string, { query }: Sorting) =>
  query.sort ? what : `${what}, ${query.order === "asc" ? "oldest" : "newest"} first`;

const ariaOrders = { asc: "ascending", desc: "descending" } as const;

function ariaSort(column: string, sorting: Sorting) {
  const order = currentOrder(column, sorting);
  return order ? ariaOrders[order] : "none";
}

/** Sorts by the column, or reverses the order. Only where the headings are visible. */
function SortLink({ label, column, sorting }: { label: string; column: string; sorting: Sorting }) {
  const current = currentOrder(column, sorting);
  const [usual = "desc"] = ordersOf(column);
  const next = current ? ({ asc: "desc", desc: "asc" } as const)[current] : usual;
  const Arrow = current === "asc" ? ArrowUp : ArrowDown;
  return (
    <>
      <span className="lg:hidden">{label}</span>
      <Link
        href={sortedHref(column, next, sorting)}
        prefetch={false}
        scroll={false}
        className="hidden items-center gap-1 rounded hover:text-ink lg:inline-flex"
      >
        {label}
        {current ? <Arrow className="size-3" aria-hidden="true" /> : null}
      </Link>
    </>
  );
}
