import { expect, test } from "vitest";
import { runGallery } from "./run-gallery";

test("every hostile receiver at once harms no healthy one, no deadline and no memory", { timeout: 240_000 }, async () => {
  const { violations, figures } = await runGallery({ seconds: 30 });
  process.stdout.write(`npm run faults -- --gallery --minutes 0.5: ${JSON.stringify(figures)}\n`);
  expect(violations).toEqual([]);
});
