import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { idTimeMs, newId, restartIds } from "@/lib/resources/ids";

const nowMs = Date.parse("2026-12-31T23:59:59.000Z");
const dayMs = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
  restartIds();
});
afterEach(() => {
  vi.useRealTimers();
  restartIds();
});

test("ids stay in order when the clock is set back by less than a minute", () => {
  const ids = [0, -59_000, -30_000, 0, 1].map((ms) => {
    vi.setSystemTime(nowMs + ms);
    return newId("event");
  });
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ["the clock", () => newId("event")],
  ["the caller", () => newId("event", new Date())],
])(
  "once a clock that was a day ahead is right again, so are ids with the time of %s",
  (_title, make) => {
    vi.setSystemTime(nowMs + dayMs);
    expect(idTimeMs(make())).toBe(nowMs + dayMs);
    vi.setSystemTime(nowMs);
    expect([make(), make()].map(idTimeMs)).toEqual([nowMs, nowMs]);
  },
);

test("the last request with a time of a clock that was ahead leaves no later id ahead", () => {
  expect(idTimeMs(newId("event", new Date(nowMs + dayMs)))).toBe(nowMs + dayMs);
  expect(idTimeMs(newId("event"))).toBe(nowMs);
});
