import Link from "next/link";
import type { ReactNode } from "react";
import { Wordmark } from "@/components/shell/wordmark";
import { ButtonLink } from "@/components/ui/button";
import { DocsNav, type NavSection } from "./docs-nav";
import { SearchButton } from "./search-button";

/** The frame of every documentation page. */
export function DocsShell({ sections, children }: { sections: NavSection[]; children: ReactNode }) {
  return (
    <div className="min-h-dvh [scroll-padding-top:5rem]">
      <a
        href="#content"
        className="sr-only z-30 rounded-lg bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <header className="sticky top-0 z-20 flex h-14 items-center justify-between gap-4 border-line border-b bg-surface px-4 lg:px-6">
        <div className="flex items-center gap-3">
          <Link href="/docs" aria-label="Parlance, documentation">
            <Wordmark />
          </Link>
          <span className="rounded-full bg-sunken px-2 py-0.5 font-medium text-muted text-xs">
            Docs
          </span>
        </div>
        <nav aria-label="Product" className="flex items-center gap-1.5">
          <SearchButton />
          <ButtonLink href="/docs/reference" variant="quiet" size="small" className="max-md:hidden">
            API reference
          </ButtonLink>
          <ButtonLink href="/" variant="secondary" size="small">
            Dashboard
          </ButtonLink>
        </nav>
      </header>
      <div className="mx-auto lg:flex lg:max-w-[96rem]">
        <DocsNav sections={sections} />
        <main
          id="content"
          tabIndex={-1}
          className="min-w-0 flex-1 px-4 py-8 outline-none sm:px-8 lg:px-12 lg:py-10"
        >
          {children}
        </main>
      </div>
    </div>
  );
}
