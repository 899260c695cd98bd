import { ArrowLeft, ArrowRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { CopyPage } from "./copy-page";

type Neighbor = { path: string; title: string };
type Heading = { title: string; anchor: string; level: 2 | 3 };

type PageFrameProps = {
  path: string;
  headings: Heading[];
  previous: Neighbor | undefined;
  next: Neighbor | undefined;
  /** Where to propose a change of the page, if the repository is known. */
  editUrl: string | undefined;
  /** The page has columns of its own, so the list of its headings needs a wider screen. */
  isWide: boolean;
  children: ReactNode;
};

/** A page of the documentation, with its headings next to it and its neighbors below. */
export function PageFrame(props: PageFrameProps) {
  const { path, headings, previous, next, editUrl, isWide, children } = props;
  return (
    <div className="flex gap-10">
      <div className="min-w-0 flex-1">
        <Headings
          headings={headings}
          className={`mb-6 ${isWide ? "2xl:hidden" : "xl:hidden"}`}
          isCollapsed
        />
        <article>{children}</article>
        <footer className="mt-14 max-w-3xl border-line border-t pt-6">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
            <CopyPage markdownPath={`${path}.md`} />
            <a href={`${path}.md`} className="text-muted hover:text-ink hover:underline">
              View as Markdown
            </a>
            {editUrl ? (
              <a href={editUrl} className="text-muted hover:text-ink hover:underline">
                Edit this page
              </a>
            ) : null}
          </div>
          <nav aria-label="Previous and next page" className="mt-6 grid gap-3 sm:grid-cols-2">
            {previous ? (
              <NeighborLink {...previous} label="Previous" rel="prev" />
            ) : (
              <span className="max-sm:hidden" />
            )}
            {next ? <NeighborLink {...next} label="Next" rel="next" /> : null}
          </nav>
        </footer>
      </div>
      <aside className={`hidden w-56 shrink-0 ${isWide ? "2xl:block" : "xl:block"}`}>
        <Headings
          headings={headings}
          className="sticky top-20 max-h-[calc(100dvh-6rem)] overflow-y-auto"
        />
      </aside>
    </div>
  );
}

function NeighborLink({
  path,
  title,
  label,
  rel,
}: Neighbor & { label: string; rel: "prev" | "next" }) {
  const Arrow = rel === "prev" ? ArrowLeft : ArrowRight;
  return (
    <Link
      href={path}
      rel={rel}
      className={`flex items-center gap-3 rounded-xl border border-line bg-surface p-4 transition-colors hover:border-line-strong ${rel === "next" ? "flex-row-reverse text-right" : ""}`}
    >
      <Arrow className="size-4 shrink-0 text-muted" aria-hidden="true" />
      <span className="min-w-0">
        <span className="block text-muted text-xs">{label}</span>
        <span className="block truncate font-medium">{title}</span>
      </span>
    </Link>
  );
}

type HeadingsProps = { headings: Heading[]; className: string; isCollapsed?: boolean };

function Headings({ headings, className, isCollapsed = false }: HeadingsProps) {
  if (headings.length < 2) return null;
  const list = (
    <ul className="space-y-0.5">
      {headings.map(({ title, anchor, level }) => (
        <li key={anchor}>
          <a
            href={`#${anchor}`}
            className={`block break-words py-1 text-muted leading-5 hover:text-ink ${level === 3 ? "pl-4" : ""}`}
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
  if (isCollapsed) {
    return (
      <details className={`rounded-xl border border-line bg-surface ${className}`}>
        <summary className="flex h-11 items-center px-4 font-medium">On this page</summary>
        <nav aria-label="On this page" className="border-line border-t px-4 py-3">
          {list}
        </nav>
      </details>
    );
  }
  return (
    <nav aria-label="On this page" className={className}>
      <p className="mb-2 font-semibold text-xs">On this page</p>
      {list}
    </nav>
  );
}
