import { ArrowUpDown, Check } from "lucide-react";
import { buttonClass } from "./button";
import { Menu, MenuLink } from "./menu";
import { currentOrder, orderName, ordersOf, type Sorting, sortedHref } from "./sorting";

/** The orders of a table, for screens where its headings are hidden. */
export function SortMenu({
  columns,
  sorting,
}: {
  columns: { label: string; column: string }[];
  sorting: Sorting;
}) {
  const hasInitial = columns.some(({ column }) => column === sorting.initial);
  const all = hasInitial ? columns : [{ label: "Created", column: sorting.initial }, ...columns];
  const orders = all.flatMap(({ label, column }) =>
    ordersOf(column).map((order) => ({
      name: `${label}, ${orderName(column, order)}`,
      href: sortedHref(column, order, sorting),
      isCurrent: currentOrder(column, sorting) === order,
    })),
  );
  const current = orders.find(({ isCurrent }) => isCurrent);
  return (
    <div className="mb-2 lg:hidden">
      <Menu
        trigger={
          <>
            <ArrowUpDown className="size-3.5 shrink-0" aria-hidden="true" />
            Sort: {current?.name}
          </>
        }
        className={buttonClass({ variant: "secondary", size: "small" })}
      >
        {orders.map(({ name, href, isCurrent }) => (
          <MenuLink
            key={name}
            href={href}
            prefetch={false}
            scroll={false}
            aria-current={isCurrent ? "true" : undefined}
          >
            <Check className={`size-4 ${isCurrent ? "" : "invisible"}`} aria-hidden="true" />
            {name}
          </MenuLink>
        ))}
      </Menu>
    </div>
  );
}
