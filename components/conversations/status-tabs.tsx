import { Link } from "@/components/ui/link";

/** `key` if names are not unique. */
export type StatusTab = {
  key?: string;
  name: string;
  href: string;
  isCurrent: boolean;
  count?: string;
};

/**
 * Views of the list, in one line. Counts are below the names, so that all statuses fit the pane.
 * Saved views may not: then the line scrolls.
 */
export function StatusTabs({ label, tabs }: { label: string; tabs: StatusTab[] }) {
  const hasCounts = tabs.some(({ count }) => count !== undefined);
  return (
    <nav aria-label={label} className="overflow-x-auto px-2 pb-2 [scrollbar-width:none]">
      <ul className="flex gap-0.5">
        {tabs.map(({ key, name, href, isCurrent, count }) => (
          <li key={key ?? name}>
            <Link
              href={href}
              aria-current={isCurrent ? "page" : undefined}
              className={`flex flex-col justify-center whitespace-nowrap rounded-lg px-1 text-muted text-xs hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink ${hasCounts ? "h-10" : "h-7"}`}
            >
              <span dir="auto" className="max-w-40 truncate">
                {name}
              </span>{" "}
              {count === undefined ? null : (
                <span className="text-muted leading-tight tabular-nums">{count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
