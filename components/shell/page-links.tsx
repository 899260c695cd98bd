"use client";

import { usePathname } from "next/navigation";
import { Link } from "@/components/ui/link";
import { dashboardNavigation } from "./navigation";

export function PageLinks({ onFollow }: { onFollow?: () => void }) {
  const [, tenant = "", environment = "", open = ""] = usePathname().split("/");
  return (
    <nav aria-label="Pages" className="space-y-4 md:short:space-y-2">
      {dashboardNavigation.map(({ title, items }) => (
        <div key={title}>
          {/* Not a heading: it precedes the page's own headings. */}
          {title ? (
            <p
              aria-hidden="true"
              className="mb-1 px-2.5 md:short:mb-0 font-medium text-muted text-xs"
            >
              {title}
            </p>
          ) : null}
          <ul aria-label={title ?? undefined} className="space-y-0.5 md:short:space-y-0">
            {items.map(({ path, name, Icon }) => (
              <li key={path}>
                <Link
                  href={`/${tenant}/${environment}${path ? `/${path}` : ""}`}
                  onClick={onFollow}
                  aria-current={path === open ? "page" : undefined}
                  className="flex h-8 items-center gap-2.5 whitespace-nowrap md:short:h-7 rounded-lg px-2.5 text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
                >
                  <Icon className="size-4" aria-hidden="true" />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
