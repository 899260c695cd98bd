// `npm run faults`: what is promised under faults, put to the test for as long as one likes. By default processes are killed
// under load; `--gallery` opens every hostile receiver at once instead.
import { parseArgs } from "node:util";
import { runFaults } from "./run-faults";
import { runGallery } from "./run-gallery";

const { values: given } = parseArgs({
  options: {
    gallery: { type: "boolean", default: false },
    minutes: { type: "string" },
    seed: { type: "string" },
    kills: { type: "string" },
    crashes: { type: "string" },
    writes: { type: "string" },
    seconds: { type: "string" },
    writers: { type: "string" },
  },
});
const { gallery, ...texts } = given;
const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));
const options = gallery
  ? { minutes: 10, ...numbers }
  : { seed: Math.floor(Math.random() * 2 ** 31), kills: 200, crashes: 10, writes: 20_000, seconds: 240, writers: 16, ...numbers };
const named = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
const command = ["npm run faults --", ...(gallery ? ["--gallery"] : []), ...named].join(" ");
process.stdout.write(`${command}\n`);

const startedAt = Date.now();
const report = (line: string) => process.stdout.write(`${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${line}\n`);
const {
  violations,
  figures,
  directory = null,
} = await ("minutes" in options ? runGallery({ seconds: options.minutes * 60, report }) : runFaults({ ...options, report }));

const width = Math.max(...Object.keys(figures).map((name) => name.length));
process.stdout.write("\n");
for (const [name, figure] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(width)}  ${figure}\n`);
process.stdout.write(`\n${violations.length === 0 ? "Every promise held." : `${violations.length} violations:`}\n`);
for (const violation of violations.slice(0, 50)) process.stdout.write(`  ${violation}\n`);
if (directory) process.stdout.write(`Data and logs are in ${directory}.\n`);
process.stdout.write(`Once more the same: ${command}\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
