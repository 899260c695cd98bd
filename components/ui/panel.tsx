import type { ReactNode } from "react";

/** A part of a page with its own heading. */
export function Panel({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="rounded-2xl border border-line bg-surface p-5">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold text-base">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

const columns = {
  wide: "gap-x-6 gap-y-3 sm:grid-cols-[10rem_minmax(0,1fr)]",
  narrow: "gap-y-2",
} as const;

/**
 * Names with their values. In a narrow space, each name is above its value. A missing value is shown
 * as a dash.
 */
export function Facts({
  facts,
  variant = "wide",
}: {
  facts: { name: string; value: ReactNode }[];
  variant?: keyof typeof columns;
}) {
  return (
    <dl className={`grid ${columns[variant]}`}>
      {facts.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className={`text-muted ${variant === "narrow" ? "-mb-1.5 text-xs" : "max-sm:-mb-2"}`}>
            {name}
          </dt>
          <dd className="min-w-0 break-words">{value ?? <span className="text-muted">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
