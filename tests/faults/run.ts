// `npm run faults`: tests the guarantees under faults, for as long as you like. By default
// processes are killed under load, while some writers delete, redact and erase; `--gallery` opens
// every hostile receiver concurrently instead, and `--feed` follows the event feed under many
// writers.
import { parseArgs } from "node:util";
import { runFaults } from "./run-faults";
import { runFeedOnItsOwn } from "./run-feed-alone";
import { runGallery } from "./run-gallery";

const { values: given } = parseArgs({
  options: {
    gallery: { type: "boolean", default: false },
    feed: { type: "boolean", default: false },
    minutes: { type: "string" },
    seed: { type: "string" },
    kills: { type: "string" },
    crashes: { type: "string" },
    writes: { type: "string" },
    seconds: { type: "string" },
    writers: { type: "string" },
    pollers: { type: "string" },
    webs: { type: "string" },
  },
});
const { gallery, feed, ...texts } = given;
const numbers = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, Number(text)]),
);
const seed = Math.floor(Math.random() * 2 ** 31);

const startedAt = Date.now();
const report = (line: string) =>
  process.stdout.write(
    `${String(Math.round((Date.now() - startedAt) / 1000)).padStart(5)} s  ${line}\n`,
  );

/** The options with their defaults, and the function that runs with them. */
function choose() {
  if (gallery) {
    const options = { minutes: 10, ...numbers };
    return {
      mode: ["--gallery"],
      options,
      run: () => runGallery({ seconds: options.minutes * 60, report }),
    };
  }
  if (feed) {
    const options = { seed, minutes: 5, pollers: 8, writers: 24, webs: 3, kills: 60, ...numbers };
    return {
      mode: ["--feed"],
      options,
      run: () => runFeedOnItsOwn({ ...options, seconds: options.minutes * 60, report }),
    };
  }
  const options = {
    seed,
    kills: 200,
    crashes: 10,
    writes: 20_000,
    seconds: 240,
    writers: 16,
    ...numbers,
  };
  return { mode: [], options, run: () => runFaults({ ...options, report }) };
}

const { mode, options, run } = choose();
const named = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
const command = ["npm run faults --", ...mode, ...named].join(" ");
process.stdout.write(`${command}\n`);
const { violations, figures, directory = null } = await run();

const width = Math.max(...Object.keys(figures).map((name) => name.length));
process.stdout.write("\n");
for (const [name, figure] of Object.entries(figures))
  process.stdout.write(`  ${name.padEnd(width)}  ${figure}\n`);
process.stdout.write(
  `\n${violations.length === 0 ? "Every promise held." : `${violations.length} violations:`}\n`,
);
for (const violation of violations.slice(0, 50)) process.stdout.write(`  ${violation}\n`);
if (directory) process.stdout.write(`Data and logs are in ${directory}.\n`);
process.stdout.write(`Once more the same: ${command}\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
