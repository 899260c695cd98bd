import { expect, test } from "vitest";
import { daysOfMonth, latestMonths, monthOf, usageMonthQuery } from "@/lib/usage/usage-month";

test.each([
  ["2026-01", "2026-01-01", "2026-01-31"],
  ["2026-02", "2026-02-01", "2026-02-28"],
  ["2028-02", "2028-02-01", "2028-02-29"],
  ["2026-12", "2026-12-01", "2026-12-31"],
])("%s lasts from %s to %s", (month, from, to) => {
  expect(daysOfMonth(month)).toEqual({ from, to });
});

test("months go back across the start of a year, and start with the current one in UTC", () => {
  const now = new Date("2026-02-01T00:30:00.000+01:00");
  expect(monthOf(now)).toBe("2026-01");
  expect(latestMonths(now, 3)).toEqual(["2026-01", "2025-12", "2025-11"]);
});

test.each(["2026-13", "2026-1", "1999-01", "now", "2026-01-01"])(
  "%s is not a valid month",
  (month) => {
    expect(usageMonthQuery.safeParse({ month }).success).toBe(false);
  },
);
