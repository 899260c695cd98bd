import { expect, test } from "vitest";
import { relativeTime } from "@/components/ui/relative-time";
import {
  formatterOf,
  fromLocalMinute,
  isTimeZone,
  startOfDay,
  toLocalMinute,
} from "@/lib/platform/zoned-time";

test.each([
  ["UTC", "2026-11-22T14:03", "2026-11-22T14:03:00.000Z"],
  ["Australia/Adelaide", "2026-06-22T00:00", "2026-06-21T14:30:00.000Z"],
  ["America/New_York", "2026-07-01T23:30", "2026-07-02T03:30:00.000Z"],
  ["Europe/Berlin", "2026-03-29T03:30", "2026-03-29T01:30:00.000Z"],
])("a local minute in %s becomes a time, and the time becomes that minute", (zone, local, utc) => {
  expect(fromLocalMinute(local, zone)?.toISOString()).toBe(utc);
  expect(toLocalMinute(new Date(utc), zone)).toBe(local);
});

test("a time that the clocks skip moves ahead by an hour, and of one that they repeat, it is the first", () => {
  expect(fromLocalMinute("2026-03-29T02:30", "Europe/Berlin")).toEqual(
    new Date("2026-03-29T01:30:00Z"),
  );
  expect(fromLocalMinute("2026-10-25T02:30", "Europe/Berlin")).toEqual(
    new Date("2026-10-25T00:30:00Z"),
  );
});

test.each(["2026-99-99T00:00", "20266-11-22T14:03", "9999-12-31T23:59", "0000-01-01T00:00", "x"])(
  "%j in a URL or a field does not end in an error",
  (local) => {
    const found = fromLocalMinute(local, "Australia/Adelaide");
    expect(found === null || !Number.isNaN(found.getTime())).toBe(true);
  },
);

test("a day has the hours between its midnight and the next, also when the clocks change", () => {
  const hoursOf = (day: string) =>
    (Number(startOfDay(day, "Europe/Berlin", 1)) - Number(startOfDay(day, "Europe/Berlin"))) /
    3_600_000;
  expect(["2026-03-28", "2026-03-29", "2026-10-25"].map(hoursOf)).toEqual([24, 23, 25]);
  expect(startOfDay("2026-12-31", "America/New_York", 1)?.toISOString()).toBe(
    "2027-01-01T05:00:00.000Z",
  );
});

test("where the clocks skip midnight, or repeat it, no day starts in the day before", () => {
  const dayAt = (ms: number, zone: string) => toLocalMinute(new Date(ms), zone).slice(0, 10);
  const zones = ["America/Santiago", "America/Havana", "Atlantic/Azores", "Africa/Cairo"];
  const days = Array.from({ length: 731 }, (_, index) =>
    new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10),
  );
  const wrong = zones.flatMap((zone) =>
    days.filter((day) => {
      const start = Number(startOfDay(day, zone));
      return dayAt(start, zone) !== day || dayAt(start - 60_000, zone) >= day;
    }),
  );
  expect(wrong).toEqual([]);
});

test("the spellings of a time zone do not pile up in memory", () => {
  const spelled = (index: number) =>
    [..."europe/berlin"]
      .map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter))
      .join("");
  const kept = formatterOf(spelled(0), {});
  for (let index = 1; index <= 4_000; index++) expect(isTimeZone(spelled(index))).toBe(true);
  expect(formatterOf(spelled(0), {})).not.toBe(kept);
});

test.each(["", "Nowhere/Land", "x".repeat(100), "../etc"])("%j is not a time zone", (name) => {
  expect(isTimeZone(name)).toBe(false);
});

test.each([
  [7 * 86_400 - 20, "in 7 days"],
  [6.4 * 86_400, "in 6 days"],
  [23.9 * 3_600, "tomorrow"],
  [59.9 * 60, "in 1 hour"],
  [30, "in less than a minute"],
  [-59, "just now"],
  [-6.9 * 86_400, "6 days ago"],
])("%d seconds from now is %j", (seconds, words) => {
  const now = new Date("2026-11-22T12:00:00Z");
  expect(relativeTime(new Date(now.getTime() + seconds * 1_000), now)).toBe(words);
});
