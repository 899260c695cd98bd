import { BarChart, type Series } from "@/components/ui/chart";
import { formatTime, zoneName } from "@/components/ui/viewer-time";
import { formatterOf } from "@/lib/platform/zoned-time";

const series = [
  { name: "succeeded", variant: "good" },
  { name: "rejected", variant: "warn" },
  { name: "failed", variant: "danger" },
] as const satisfies Series[];

export type Outcome = (typeof series)[number]["name"];
export type RequestCountBar = { from: Date; to: Date } & Record<Outcome, number>;

type RequestChartProps = {
  caption: string;
  counts: RequestCountBar[];
  /** The only outcome to show, if the list is filtered by it. */
  only?: Outcome;
  /** The target of a click on a bar. */
  hrefOf?: (count: RequestCountBar) => string;
};

/** Requests over time, by outcome. */
export function RequestChart({ caption, counts, only, hrefOf }: RequestChartProps) {
  const shown = only ? series.filter(({ name }) => name === only) : series;
  const { label, zone } = labelFor(counts);
  const bars = counts.map((count) => ({
    label: label(count.from),
    values: shown.map(({ name }) => count[name]),
    href: hrefOf?.(count),
  }));
  return <BarChart caption={caption} series={[...shown]} bars={bars} zone={zone} />;
}

const dayMs = 24 * 60 * 60 * 1000;
const day: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const minute: Intl.DateTimeFormatOptions = {
  hour: "2-digit",
  minute: "2-digit",
};

/** A label precise enough to tell each bar from the next. */
function labelFor(counts: RequestCountBar[]) {
  const [first] = counts;
  const partMs = first ? first.to.getTime() - first.from.getTime() : dayMs;
  // Days are counted by UTC.
  if (partMs >= dayMs)
    return { label: (at: Date) => formatterOf("UTC", day).format(at), zone: "UTC" };
  const options =
    partMs >= 60_000 ? { ...day, ...minute } : { ...minute, second: "2-digit" as const };
  return {
    label: (at: Date) => formatTime(at, options),
    zone: zoneName(counts.at(-1)?.from ?? new Date()),
  };
}
