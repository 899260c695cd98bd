import type { Parts } from "@/lib/request-logs/service";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const retentionMs = 30 * 24 * hourMs;
const maximumParts = 60;

/** The ranges to choose from, by their value in the URL. */
export const ranges = {
  "1h": "Last hour",
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
} as const;
export type Range = keyof typeof ranges;

const rangeMs: Record<Range, number> = {
  "1h": hourMs,
  "24h": 24 * hourMs,
  "7d": 7 * 24 * hourMs,
  "30d": retentionMs,
};

/** The range of the list, and how it is charted: from hourly counts if it is long enough. */
export type TimeRange = {
  since: Date;
  until: Date | undefined;
  chart: Parts;
  isByTheHour: boolean;
};

/** A range that ends now, so the list has no end. */
export function rangeEndingNow(range: Range, now: Date): TimeRange {
  const shown = chartOf(new Date(now.getTime() - rangeMs[range] + 1), now);
  return { ...shown, since: shown.chart.since, until: undefined };
}

/** A range from the URL, as set by a click on the chart. */
export function rangeBetween(
  since: Date | undefined,
  until: Date | undefined,
  now: Date,
): TimeRange {
  const end = until && until < now ? until : now;
  const earliest = new Date(now.getTime() - retentionMs);
  const start = since && since > earliest ? since : earliest;
  const isForward = start < end;
  return {
    since: start,
    until,
    ...chartOf(isForward ? start : new Date(end.getTime() - minuteMs), end),
  };
}

/** From this length on, hourly counts are fine enough. */
const longMs = 6 * hourMs;
const shortParts = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map((seconds) => seconds * 1_000);
const longParts = [1, 2, 3, 6, 12, 24].map((hours) => hours * hourMs);

function chartOf(since: Date, until: Date): Pick<TimeRange, "chart" | "isByTheHour"> {
  const lengthMs = until.getTime() - since.getTime();
  const isByTheHour = lengthMs >= longMs;
  const lengths = isByTheHour ? longParts : shortParts;
  const partMs = lengths.find((candidate) => lengthMs / candidate <= maximumParts) ?? 24 * hourMs;
  return { chart: aligned(since, until, partMs), isByTheHour };
}

/** Parts of this length that start and end on a multiple of it. */
function aligned(since: Date, until: Date, partMs: number): Parts {
  const start = Math.floor(since.getTime() / partMs) * partMs;
  const end = Math.ceil(until.getTime() / partMs) * partMs;
  return {
    since: new Date(start),
    until: new Date(end),
    parts: Math.max(1, (end - start) / partMs),
  };
}
