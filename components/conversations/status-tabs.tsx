import { Link } from "@/components/ui/link";

/** `key` if names are not unique. */
export type StatusTab = {
  key?: string;
  name: string;
  href: string;
  isCurrent: boolean;
  count?: string;
};

/** Views of the list, in one line that scrolls if the pane is too narrow. */
export function StatusTabs({ label, tabs }: { label: string; tabs: StatusTab[] }) {
  return (
    <nav aria-label={label} className="overflow-x-auto px-3 pb-2 [scrollbar-width:none]">
      <ul className="flex gap-0.5">
        {tabs.map(({ key, name, href, isCurrent, count }) => (
          <li key={key ?? name}>
            <Link
              href={href}
              aria-current={isCurrent ? "page" : undefined}
              className="flex h-7 items-center gap-1 whitespace-nowrap rounded-lg px-1.5 text-muted text-xs hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
            >
              <span dir="auto" className="max-w-40 truncate">
                {name}
              </span>
              {count === undefined ? null : (
                <span className="text-muted tabular-nums">{count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
