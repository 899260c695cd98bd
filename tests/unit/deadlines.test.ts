import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { atDeadline } from "@/lib/platform/deadlines";

/** Timers count whole milliseconds. */
const roundingMs = 2;

test("a deadline does not pass too early, whenever it was set", async () => {
  const stop = atDeadline(60_000, () => {});
  const elapsed = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await sleep(index * 7);
      const startedMs = performance.now();
      await new Promise<void>((resolve) => atDeadline(100, resolve));
      return performance.now() - startedMs;
    }),
  );
  stop();
  for (const elapsedMs of elapsed) expect(elapsedMs).toBeGreaterThanOrEqual(100 - roundingMs);
});

test("a deadline that is canceled does not pass", async () => {
  let hasPassed = false;
  const cancel = atDeadline(100, () => {
    hasPassed = true;
  });
  cancel();
  await new Promise<void>((resolve) => atDeadline(300, resolve));
  expect(hasPassed).toBe(false);
});
