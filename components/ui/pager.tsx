import type { ReactNode } from "react";
import { ButtonLink, buttonClass } from "./button";
import { Link } from "./link";

type Query = Record<string, string | string[] | undefined>;

/**
 * The URL of the same page with other parameters. `null` removes a parameter. Changing a filter goes
 * back to the first page.
 */
export function withQuery(
  path: string,
  query: Query,
  changes: Record<string, string | null>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({
    ...query,
    cursor: undefined,
    before: undefined,
    ...changes,
  })) {
    if (typeof value === "string" && value !== "") parameters.set(name, value);
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

const sizes = [20, 50, 100];

/** Links that choose how many rows a page has. The first size is the default. */
export function PageSizes({ path, query }: { path: string; query: Query }) {
  const current = Number(query.limit ?? sizes[0]);
  return (
    <p className="flex items-center gap-0.5 text-muted text-xs">
      <span className="mr-1">Rows per page</span>
      {sizes.map((size) => (
        <Link
          key={size}
          href={withQuery(path, query, { limit: size === sizes[0] ? null : String(size) })}
          prefetch={false}
          aria-label={`${size} rows per page`}
          aria-current={size === current ? "true" : undefined}
          className="flex h-7 min-w-7 items-center justify-center rounded-lg px-1.5 hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
        >
          {size}
        </Link>
      ))}
    </p>
  );
}

/** Whether the query of a page filters its list. */
export const isFilteredBy = (query: Query): boolean =>
  Object.keys(query).some((name) => !["cursor", "before", "limit", "order"].includes(name));

/** Downloads all items of the list that match the filters, from the route `csv` below the page. */
export function CsvLink({ path, query }: { path: string; query: Query }) {
  return (
    <a
      href={withQuery(`${path}/csv`, query, { limit: null })}
      download
      className={buttonClass({ variant: "secondary" })}
    >
      Download CSV <span className="font-normal text-muted text-xs">up to 50,000 rows</span>
    </a>
  );
}

/** For a list that is sorted by creation. */
export const orderFilter = {
  name: "order",
  label: "Sort",
  all: "Newest first",
  options: [{ value: "asc", label: "Oldest first" }],
};

type PagerProps = {
  path: string;
  query: Query;
  nextCursor: string | undefined;
  next?: string;
  /** For a list that can be read backwards: the id before which the previous page ends. */
  previousCursor?: string | undefined;
  /** The number of items on the page, of a list that shows its position. */
  count?: number;
  /** Next to the links, for example to choose the size of a page. */
  children?: ReactNode;
};

/**
 * Links below a list: to the next page by its cursor, to the previous one, and back to the first
 * one. Renders no links if there is only one page. The position of a page is only known for the
 * first one: new items can appear before all others.
 */
export function Pager({
  path,
  query,
  nextCursor,
  next = "Next page",
  previousCursor,
  count = 0,
  children,
}: PagerProps) {
  const isFirst = !query.cursor && !query.before;
  if (isFirst && !nextCursor && !children) return null;
  return (
    <nav
      aria-label="Pages of the list"
      className="mt-4 flex flex-wrap items-center justify-end gap-2"
    >
      {isFirst && count > 0 ? (
        <p className="mr-auto text-muted tabular-nums">
          {nextCursor ? `1–${count}` : `${count} total`}
        </p>
      ) : null}
      {children}
      {isFirst ? null : (
        <ButtonLink variant="secondary" size="small" href={withQuery(path, query, {})}>
          First page
        </ButtonLink>
      )}
      {previousCursor ? (
        <ButtonLink
          variant="secondary"
          size="small"
          href={withQuery(path, query, { before: previousCursor })}
          rel="prev"
        >
          Previous page
        </ButtonLink>
      ) : null}
      {nextCursor ? (
        <ButtonLink
          variant="secondary"
          size="small"
          href={withQuery(path, query, { cursor: nextCursor })}
          rel="next"
        >
          {next}
        </ButtonLink>
      ) : null}
    </nav>
  );
}
