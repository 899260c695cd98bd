"use client";

import { ChevronDown } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import type { DocsPage } from "./docs-pages";

export type NavSection = { title: string; pages: Pick<DocsPage, "path" | "title">[] };

/** A column next to the page, or a collapsible list above it on a narrow screen. */
export function DocsNav({ sections }: { sections: NavSection[] }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const pathname = usePathname();
  // A page that is not listed belongs to the page that its path is below.
  const current = sections
    .flatMap(({ pages }) => pages)
    .filter(
      ({ path }) => path === pathname || (path !== "/docs" && pathname.startsWith(`${path}/`)),
    )
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  const open = current?.path ?? pathname;

  // Close the list after a link was followed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path closes it.
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [pathname]);

  return (
    <>
      <details ref={menu} className="group border-line border-b bg-surface lg:hidden">
        <summary className="flex h-11 list-none items-center justify-between px-4 font-medium [&::-webkit-details-marker]:hidden">
          <span className="truncate">{current?.title ?? "All pages"}</span>
          <ChevronDown
            className="size-4 shrink-0 text-muted transition-transform group-open:rotate-180"
            aria-hidden="true"
          />
        </summary>
        <div className="max-h-[70dvh] overflow-y-auto border-line border-t px-2 py-3">
          <Links sections={sections} open={open} pathname={pathname} label="All pages" />
        </div>
      </details>
      <div className="sticky top-14 hidden h-[calc(100dvh-3.5rem)] w-64 shrink-0 overflow-y-auto border-line border-r px-3 py-6 lg:block">
        <Links sections={sections} open={open} pathname={pathname} label="Documentation" />
      </div>
    </>
  );
}

type LinksProps = { sections: NavSection[]; open: string; pathname: string; label: string };

function Links({ sections, open, pathname, label }: LinksProps) {
  return (
    <nav aria-label={label} className="space-y-5">
      {sections.map(({ title, pages }) => (
        <section key={title}>
          <h2 className="mb-1 px-2.5 font-semibold text-xs">{title}</h2>
          <ul>
            {pages.map(({ path, title: name }) => (
              <li key={path}>
                <Link
                  href={path}
                  aria-current={path === pathname ? "page" : path === open ? "true" : undefined}
                  className="flex min-h-8 items-center rounded-lg px-2.5 py-1 text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
