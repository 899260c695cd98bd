import fc from "fast-check";
import { expect, test } from "vitest";
import {
  rangeBetween,
  rangeEndingNow,
  ranges,
  type TimeRange,
} from "@/app/(dashboard)/[tenant]/[environment]/logs/log-time-range";

const hourMs = 3_600_000;
const now = new Date("2026-02-10T12:34:56.789Z");

function expectDrawable({ chart: { since, until, parts }, isByTheHour }: TimeRange) {
  const partMs = (until.getTime() - since.getTime()) / parts;
  expect(Number.isInteger(parts)).toBe(true);
  expect(parts).toBeGreaterThanOrEqual(1);
  expect(parts).toBeLessThanOrEqual(62);
  expect(since.getTime() % partMs).toBe(0);
  expect(isByTheHour).toBe(partMs >= hourMs);
  if (isByTheHour) expect(partMs % hourMs).toBe(0);
}

test.each(Object.keys(ranges) as (keyof typeof ranges)[])(
  "%s up to now is listed from where its chart starts",
  (range) => {
    const time = rangeEndingNow(range, now);
    expectDrawable(time);
    expect(time.until).toBeUndefined();
    expect(time.since).toEqual(time.chart.since);
    expect(time.chart.until.getTime()).toBeGreaterThanOrEqual(now.getTime());
  },
);

test("any time in a URL can be rendered, and the chart covers it", () => {
  const time = fc.date({
    min: new Date("2025-01-01"),
    max: new Date("2027-01-01"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(
      fc.option(time, { nil: undefined }),
      fc.option(time, { nil: undefined }),
      (since, until) => {
        const shown = rangeBetween(since, until, now);
        expectDrawable(shown);
        const end = until && until < now ? until : now;
        expect(shown.chart.until.getTime()).toBeGreaterThanOrEqual(end.getTime());
        if (shown.since < end)
          expect(shown.chart.since.getTime()).toBeLessThanOrEqual(shown.since.getTime());
      },
    ),
  );
});

test("clicks on a part, and on parts of it, lead to ever shorter ranges, down to a second", () => {
  let time = rangeEndingNow("30d", now);
  const lengths: number[] = [];
  for (let clicks = 0; clicks < 4; clicks++) {
    const { since, until, parts } = time.chart;
    const partMs = (until.getTime() - since.getTime()) / parts;
    lengths.push(partMs);
    const click = new Date(since.getTime() + Math.floor(parts / 2) * partMs);
    time = rangeBetween(click, new Date(click.getTime() + partMs), now);
  }
  expect(lengths).toEqual([12 * hourMs, hourMs, 60_000, 1_000]);
});
