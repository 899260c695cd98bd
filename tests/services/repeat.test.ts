import { expect, test } from "vitest";
import { repeat } from "@/lib/scheduling/repeat";

const hourMs = 3_600_000;

test("a job with a delay runs when it is woken, and not before", async () => {
  let runs = 0;
  const work = async () => ++runs;
  const job = repeat("test", work, { pauseMs: hourMs, limit: 10, delayMs: hourMs });
  expect(runs).toBe(0);
  job.wake();
  await expect.poll(() => runs).toBe(1);
  await job.stop();
  expect(runs).toBe(1);
});

test("a job that is stopped during its delay never runs", async () => {
  let runs = 0;
  const work = async () => ++runs;
  await repeat("test", work, { pauseMs: hourMs, limit: 10, delayMs: hourMs }).stop();
  expect(runs).toBe(0);
});
