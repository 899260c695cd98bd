import { expect, test } from "vitest";
import { runGallery } from "./run-gallery";

test("fifty healthy receivers do not notice every hostile one beside them", { timeout: 300_000 }, async () => {
  const { violations, figures } = await runGallery({ seconds: 30 });
  process.stdout.write(`npm run faults -- --gallery --minutes 0.5: ${JSON.stringify(figures)}\n`);
  expect(violations).toEqual([]);
});
