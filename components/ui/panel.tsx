import type { ReactNode } from "react";

/** A part of a page with its own heading. */
export function Panel({
  id,
  title,
  aside,
  children,
}: {
  /** For links to it. */
  id?: string;
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section id={id} className="scroll-mt-24 rounded-2xl border border-line bg-surface p-5">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold text-base">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

// The width of the panel decides, not that of the screen: three panels can share a line.
const columns = {
  wide: "gap-x-6 gap-y-3 @3xs:grid-cols-[8rem_minmax(0,1fr)] @3xs:gap-x-4 @md:grid-cols-[10rem_minmax(0,1fr)] @md:gap-x-6",
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
    <div className="@container">
      <dl className={`grid ${columns[variant]}`}>
        {facts.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt
              className={`text-muted ${variant === "narrow" ? "-mb-1.5 text-xs" : "@max-3xs:-mb-2"}`}
            >
              {name}
            </dt>
            <dd className="wrap-anywhere min-w-0">
              {typeof value === "string" ? (
                <bdi>{value}</bdi>
              ) : (
                (value ?? <span className="text-muted">–</span>)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
