import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { ArrivalHeading } from "./arrival-heading";
import { Link } from "./link";

type PageHeaderProps = {
  title: string;
  /** Next to the title: a badge or an id. */
  aside?: ReactNode;
  description?: ReactNode;
  /** The guide to link to: `api-keys`. */
  guide?: string;
  /** The pages above this one, the highest first. */
  trail?: { name: string; href: string }[];
  /** Actions, the most important one last. */
  actions?: ReactNode;
};

/** The header of every page: breadcrumb, title and actions. */
export function PageHeader({
  title,
  aside,
  description,
  guide,
  trail = [],
  actions,
}: PageHeaderProps) {
  return (
    <header className="mb-6 space-y-2">
      {trail.length > 0 ? (
        <nav aria-label="Breadcrumb">
          <ol className="flex flex-wrap items-center gap-1 text-muted">
            {trail.map(({ name, href }, index) => (
              <li key={href} className="flex items-center gap-1">
                {index > 0 ? <ChevronRight className="size-3.5" aria-hidden="true" /> : null}
                <Link dir="auto" href={href} className="hover:text-ink hover:underline">
                  {name}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      ) : null}
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 space-y-1">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <ArrivalHeading
              level="h1"
              dir="auto"
              className="wrap-anywhere min-w-0 font-semibold text-2xl tracking-tight"
            >
              {title}
            </ArrivalHeading>
            {aside}
          </div>
          {description ? (
            <div className="max-w-prose text-muted">
              {description}
              {guide ? (
                <Link
                  href={`/docs/${guide}`}
                  className="ml-1.5 whitespace-nowrap text-accent underline underline-offset-2"
                >
                  Learn more<span className="sr-only"> about {title}</span>
                </Link>
              ) : null}
            </div>
          ) : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
    </header>
  );
}
