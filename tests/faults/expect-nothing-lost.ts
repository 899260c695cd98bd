import { expect } from "vitest";
import { type FaultOptions, runFaults } from "./run-faults";

/** Runs the faults, prints the command that repeats them, and checks every promise. */
export async function expectNothingLost(faults: FaultOptions): Promise<void> {
  const options = Object.entries(faults).map(([name, value]) => `--${name} ${value}`);
  const { violations, figures } = await runFaults(faults);
  process.stdout.write(`npm run faults -- ${options.join(" ")}: ${JSON.stringify(figures)}\n`);
  expect(violations).toEqual([]);
  expect(figures["acknowledged writes"]).toBeGreaterThan(faults.kills);
}
