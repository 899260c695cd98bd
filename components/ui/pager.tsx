import { ButtonLink } from "./button";

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
  for (const [name, value] of Object.entries({ ...query, cursor: undefined, ...changes })) {
    if (typeof value === "string" && value !== "") parameters.set(name, value);
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

type PagerProps = { path: string; query: Query; nextCursor: string | undefined; next?: string };

/**
 * Links below a list: to the next page by its cursor, and back to the first one. Renders nothing if
 * there is only one page.
 */
export function Pager({ path, query, nextCursor, next = "Next page" }: PagerProps) {
  const isFirst = !query.cursor;
  if (isFirst && !nextCursor) return null;
  return (
    <nav aria-label="Pages of the list" className="mt-4 flex items-center justify-end gap-2">
      {isFirst ? null : (
        <ButtonLink variant="secondary" size="small" href={withQuery(path, query, {})}>
          First page
        </ButtonLink>
      )}
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
