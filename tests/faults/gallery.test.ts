import { expect, test } from "vitest";
import { runGallery, sharedMachine } from "./run-gallery";

test("fifty healthy receivers do not notice every hostile one beside them", { timeout: 300_000 }, async () => {
  // Other tests run beside this one.
  const { violations, figures } = await runGallery({ seconds: 15, allowance: sharedMachine });
  process.stdout.write(`npm run faults -- --gallery --minutes 0.25: ${JSON.stringify(figures)}\n`);
  expect(violations).toEqual([]);
});
