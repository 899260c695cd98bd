// `npm run faults`: the promise that nothing acknowledged is lost, put to the test for as long as one likes.
import { parseArgs } from "node:util";
import { runFaults } from "./run-faults";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    kills: { type: "string", default: "200" },
    crashes: { type: "string", default: "10" },
    writes: { type: "string", default: "20000" },
    seconds: { type: "string", default: "240" },
    writers: { type: "string", default: "16" },
  },
});
const options = {
  ...{ seed: Number(values.seed), kills: Number(values.kills), crashes: Number(values.crashes) },
  ...{ writes: Number(values.writes), seconds: Number(values.seconds), writers: Number(values.writers) },
};
const command = `npm run faults -- ${Object.entries(values)
  .map(([name, value]) => `--${name} ${value}`)
  .join(" ")}`;
process.stdout.write(`${command}\n`);

const startedAt = Date.now();
const report = (line: string) => process.stdout.write(`${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${line}\n`);
const { violations, figures, directory } = await runFaults({ ...options, report });

const width = Math.max(...Object.keys(figures).map((name) => name.length));
process.stdout.write("\n");
for (const [name, figure] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(width)}  ${figure}\n`);
process.stdout.write(`\n${violations.length === 0 ? "Every promise held." : `${violations.length} violations:`}\n`);
for (const violation of violations.slice(0, 50)) process.stdout.write(`  ${violation}\n`);
if (directory) process.stdout.write(`Data and logs are in ${directory}.\n`);
process.stdout.write(`Once more the same: ${command}\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
