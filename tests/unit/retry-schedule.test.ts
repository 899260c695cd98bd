import { expect, test } from "vitest";
import { retryDelaySeconds } from "@/lib/deliveries/engine/retry-schedule";

const schedule = [30, 120, 600, 1_800, 7_200, 28_800, 86_400];
const delays = (random: number) =>
  schedule.map((_, index) => retryDelaySeconds(index + 1, 0, () => random));

test("waits are up to 10% longer than documented, and only the last one is up to 10% shorter", () => {
  expect(delays(0)).toEqual(schedule);
  const varied = delays(1);
  for (const [index, seconds] of schedule.slice(0, -1).entries())
    expect(varied[index]).toBeCloseTo(seconds * 1.1);
  expect(varied.at(-1)).toBeCloseTo(86_400 * 0.9);
  expect(new Set([1, 2, 3, 4, 5].map(() => retryDelaySeconds(1))).size).toBeGreaterThan(1);
});

test("there is no wait after the eighth attempt, whatever the receiver asks for", () => {
  expect(retryDelaySeconds(8, 60)).toBeNull();
  expect(retryDelaySeconds(9)).toBeNull();
});
