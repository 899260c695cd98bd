import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "./link";
import { SortMenu } from "./sort-menu";
import { currentOrder, ordersOf, type Sorting, sortedHref } from "./sorting";

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

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="relative block px-4 py-4 hover:bg-sunken/60 lg:table-row lg:px-0 lg:py-0">
      {children}
    </tr>
  );
}

/** What the row is about. A link in it with the class `row-link` covers the whole row. */
export function RowName({ children }: { children: ReactNode }) {
  return (
    <th
      scope="row"
      className="block min-w-0 pb-2 text-left font-normal lg:table-cell lg:py-3 lg:pr-3 lg:pl-5 lg:align-top"
    >
      {children}
    </th>
  );
}

export function Cell({
  label,
  align = "left",
  children,
}: {
  label: string;
  align?: "left" | "right";
  children: ReactNode;
}) {
  return (
    <td
      data-label={label}
      className={`flex items-baseline justify-between gap-4 py-1 before:shrink-0 before:text-muted before:content-[attr(data-label)] lg:table-cell lg:px-3 lg:py-3 lg:align-top lg:before:content-none lg:last:pr-5 ${align === "right" ? "lg:not-last:pr-6 lg:text-right" : ""}`}
    >
      <span
        className={`min-w-0 text-right xl:whitespace-nowrap ${align === "right" ? "tabular-nums" : "lg:text-left"}`}
      >
        {children}
      </span>
    </td>
  );
}

/** The actions of a row. They lie above the link that covers the row. */
export function RowActions({ children }: { children: ReactNode }) {
  return (
    <td className="relative z-1 block pt-2 text-right lg:table-cell lg:whitespace-nowrap lg:py-2.5 lg:pr-5 lg:align-top">
      {children}
    </td>
  );
}
