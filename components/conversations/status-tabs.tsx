import { NearbyLink } from "@/components/ui/nearby-link";

export type StatusTab = { name: string; href: string; isCurrent: boolean; count?: string };

/** The views of the list, in a grid because one line of a narrow pane is too short for them. */
export function StatusTabs({ tabs }: { tabs: StatusTab[] }) {
  return (
    <nav aria-label={label} className="overflow-x-auto px-3 pb-2 [scrollbar-width:none]">
      <ul className="flex gap-0.5">
        {tabs.map(({ key, name, href, isCurrent, count }) => (
          <li key={key ?? name}>
            <NearbyLink
              href={href}
              aria-current={isCurrent ? "page" : undefined}
              className="flex h-8 items-center justify-center gap-1.5 whitespace-nowrap rounded-lg px-2 text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
            >
              {name}
              {count === undefined ? null : (
                <span className="text-muted text-xs tabular-nums">{count}</span>
              )}
            </NearbyLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
