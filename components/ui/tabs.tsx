import { Link } from "./link";

/** Tabs for related pages, or for views of one page. They are links, because each has a URL. */
export function TabLinks({
  label,
  tabs,
}: {
  label: string;
  tabs: { name: string; href: string; isCurrent: boolean; count?: string }[];
}) {
  return (
    <nav aria-label={label} className="mb-5 overflow-x-auto border-line border-b">
      <ul className="flex gap-1">
        {tabs.map(({ name, href, isCurrent, count }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={isCurrent ? "page" : undefined}
              // Where the tabs are wider than the screen, the current one is in view.
              className="-mb-px flex items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-3 py-2 text-muted hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink aria-[current]:[scroll-initial-target:nearest]"
            >
              {name}
              {count === undefined ? null : (
                <span className="rounded-full bg-sunken px-1.5 text-muted text-xs tabular-nums">
                  {count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
