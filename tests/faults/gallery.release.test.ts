import { expect, test } from "vitest";
import { runGallery } from "./run-gallery";

test("every attempt at every hostile receiver ends as expected, next to fifty healthy receivers", async () => {
  // The outcome of every attempt. Speed is measured by the command below, on a machine that
  // does nothing else.
  const { violations, figures } = await runGallery({ seconds: 15, isTimed: false });
  process.stdout.write(`npm run faults -- --gallery --minutes 0.25: ${JSON.stringify(figures)}\n`);
  expect(violations).toEqual([]);
});
