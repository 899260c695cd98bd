import { expect, test } from "vitest";
import { forecastOf } from "@/lib/usage/forecast";

test.each([
  ["half of a month of 30 days", 150, "2026-06", "2026-06-16T00:00:00Z", 300],
  ["the last moment of a month", 31, "2026-01", "2026-01-31T23:59:59.999Z", 31],
  ["nothing so far", 0, "2026-06", "2026-06-16T00:00:00Z", 0],
  ["the first day, which says too little", 100, "2026-06", "2026-06-01T23:00:00Z", null],
  ["a month that has ended", 100, "2026-05", "2026-06-16T00:00:00Z", null],
  ["a month to come", 0, "2026-07", "2026-06-16T00:00:00Z", null],
])("the forecast for %s", (_name, total, month, now, expected) => {
  expect(forecastOf(total, month, new Date(now))).toBe(expected);
});
