"use client";

import { Link } from "./link";

const fills = {
  good: "fill-good",
  warn: "fill-warn",
  danger: "fill-danger",
  accent: "fill-accent",
  plain: "fill-line-strong",
} as const;
const dots = {
  good: "bg-good",
  warn: "bg-warn",
  danger: "bg-danger",
  accent: "bg-accent",
  plain: "bg-line-strong",
} as const;

export type Series = { name: string; variant: keyof typeof fills };
/** `values` in the order of the series; `href` if a click shows the details. */
export type Bar = { label: string; values: number[]; href?: string };

const height = 120;
const gap = 0.2;

/**
 * Stacked bars over time, with the same figures as a table behind them. A client
 * component for the reason in table-cells.tsx.
 * @param caption the metric and its unit of time.
 */
export function BarChart({
  caption,
  series,
  bars,
  zone,
}: {
  caption: string;
  series: Series[];
  bars: Bar[];
  /** The time zone of the labels. */
  zone: string;
}) {
  const top = Math.max(1, ...bars.map(({ values }) => sum(values)));
  // Any value above zero is visible, however small it is.
  const lengthOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / top) * height));
  return (
    <figure>
      <p
        className="mb-1 border-line border-b border-dashed text-muted text-xs tabular-nums"
        aria-hidden="true"
      >
        {top.toLocaleString("en")}
      </p>
      <div className="relative">
        <svg
          viewBox={`0 0 ${bars.length} ${height}`}
          preserveAspectRatio="none"
          className="h-32 w-full"
          aria-hidden="true"
        >
          {series.map(({ name, variant }, at) => (
            <path
              key={name}
              d={barsOf(
                bars.map(({ values }) => lengthOf(values[at] ?? 0)),
                bars.map(({ values }) => height - sum(values.slice(0, at).map(lengthOf))),
              )}
              className={fills[variant]}
            />
          ))}
          <line
            x1="0"
            x2={bars.length}
            y1={height}
            y2={height}
            className="stroke-line"
            strokeWidth="1"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
        {/* The whole column reacts to the pointer, even if its bar is low or missing. The table below serves users without a pointer. */}
        <div className="absolute inset-0 flex" aria-hidden="true">
          {bars.map(({ label, values, href }) => {
            const title = `${label}: ${series.map(({ name }, at) => `${(values[at] ?? 0).toLocaleString("en")} ${name}`).join(", ")}`;
            const className = "min-w-0 flex-1 hover:bg-ink/8";
            return href ? (
              <Link
                key={label}
                href={href}
                prefetch={false}
                tabIndex={-1}
                title={title}
                className={className}
              />
            ) : (
              <div key={label} title={title} className={className} />
            );
          })}
        </div>
      </div>
      <div className="mt-1 flex justify-between text-muted text-xs tabular-nums" aria-hidden="true">
        <span>{bars[0]?.label}</span>
        {bars.length > 6 ? (
          <span className="max-sm:hidden">{bars[Math.floor(bars.length / 2)]?.label}</span>
        ) : null}
        <span>{bars.at(-1)?.label}</span>
      </div>
      <figcaption className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-xs">
        {series.map(({ name, variant }, at) => (
          <span key={name} className="flex items-center gap-1.5">
            <span className={`size-2 rounded-sm ${dots[variant]}`} aria-hidden="true" />
            {name}{" "}
            <span className="tabular-nums">
              {sum(bars.map(({ values }) => values[at] ?? 0)).toLocaleString("en")}
            </span>
          </span>
        ))}
        <span className="ml-auto">Times in {zone}</span>
      </figcaption>
      <details className="mt-2">
        <summary className="w-fit text-muted text-xs hover:text-ink">Show as a table</summary>
        <div className="mt-2 max-h-72 overflow-auto rounded-lg border border-line">
          <table className="w-full text-xs tabular-nums">
            <caption className="sr-only">{caption}</caption>
            <thead>
              <tr className="text-left text-muted">
                <th scope="col" className="px-3 py-1.5 font-medium">
                  Time ({zone})
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="px-3 py-1.5 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ label, values, href }) => (
                <tr key={label} className="border-line border-t">
                  <th scope="row" className="px-3 py-1 text-left font-normal">
                    {href ? (
                      <Link href={href} className="text-accent hover:underline">
                        {label}
                      </Link>
                    ) : (
                      label
                    )}
                  </th>
                  {values.map((value, at) => (
                    <td key={series[at]?.name} className="px-3 py-1 text-right">
                      {value.toLocaleString("en")}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

type SparklineProps = {
  values: number[];
  label: string;
  variant?: keyof typeof fills;
  part?: { values: number[]; variant: keyof typeof fills };
};

/**
 * A small row of bars next to a name.
 * @param label describes the chart in words.
 * @param part the part of each value that is highlighted, with its own style.
 */
export function Sparkline({ values, label, variant = "accent", part }: SparklineProps) {
  const top = Math.max(1, ...values);
  const lengths = values.map((value) => (value === 0 ? 0 : Math.max(2, (value / top) * 20)));
  const partLengths = lengths.map((length, index) => {
    const share = (part?.values[index] ?? 0) / (values[index] || 1);
    return share > 0 ? Math.max(1, share * length) : 0;
  });
  return (
    <svg
      viewBox={`0 0 ${values.length} 20`}
      preserveAspectRatio="none"
      className="inline-block h-5 w-24 align-middle"
      role="img"
      aria-label={label}
    >
      <path
        d={barsOf(
          values.map((value) => (value === 0 ? 0.75 : 0)),
          20,
        )}
        className="fill-line"
      />
      <path d={barsOf(lengths, 20)} className={fills[variant]} />
      {part ? <path d={barsOf(partLengths, 20)} className={fills[part.variant]} /> : null}
    </svg>
  );
}

/**
 * A row of bars as one path. Bars of length 0 are left out.
 * @param bottoms of each bar, or of all.
 */
function barsOf(lengths: number[], bottoms: number | number[]): string {
  return lengths
    .map((length, index) => {
      const bottom = typeof bottoms === "number" ? bottoms : (bottoms[index] ?? 0);
      const [up, from] = [length, bottom].map((value) => Number(value.toFixed(2)));
      return length === 0 ? "" : `M${index + gap / 2} ${from}v-${up}h${1 - gap}v${up}z`;
    })
    .join("");
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
