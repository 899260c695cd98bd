// What these commands run once everything is installed and built:
//
//   npm test               every quick test
//   npm run test:full      the checks, and what takes longer: the API tests through Next's own
//                          server, the long faults and deliveries (*.full.test.ts), and the
//                          accessibility of every page (*.full.spec.ts, @full)
//   npm run test:release   what takes minutes and rarely fails (*.release.test.ts, @release), by hand
//
// Each runner goes to its end. The last line counts all tests together, and the exit code says
// whether all of them passed.

import { execFileSync, spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */
/** @typedef {{ title: string, specs?: { title: string, file: string, ok: boolean, tests: { results: { error?: { message?: string } }[] }[] }[], suites?: Suite[] }} Suite */

const bin = (/** @type {string} */ name) => path.resolve("node_modules/.bin", name);
const reports = mkdtempSync(path.join(tmpdir(), "parlance-reports-"));
const vitestReport = path.join(reports, "vitest.json");
const nextReport = path.join(reports, "vitest-next.json");
const playwrightReport = path.join(reports, "playwright.json");
const vitest = (/** @type {string} */ report) => [
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
];

/** @type {Count[]} */
const counts = [];
/** @type {string[]} */
const remarks = [];
/** @type {string[]} */
const failures = [];

const [redis, chromium] = installTools();
if (!redis)
  remarks.push(
    "redis-server is missing: the limiter was not tested against a real Redis (apt-get install redis-server).",
  );

const suite = { TEST_SUITE: process.argv[2]?.replace("--", "") ?? "fast" };
if (suite.TEST_SUITE === "full") {
  counts.push(countCheck(await run("npm", ["run", "check"])));
  const throughNext = { TEST_SUITE: "fast", TEST_SERVER: "next" };
  counts.push(
    countVitest(
      nextReport,
      await run(bin("vitest"), [...vitest(nextReport), "tests/api"], throughNext),
    ),
  );
}
counts.push(countVitest(vitestReport, await run(bin("vitest"), vitest(vitestReport), suite)));
if (chromium) {
  const environment = {
    ...suite,
    PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport,
    CHROMIUM_PATH: chromium,
  };
  counts.push(
    countPlaywright(
      playwrightReport,
      await run(bin("playwright"), ["test", "--reporter=list,json"], environment),
    ),
  );
} else {
  counts.push({ passed: 0, failed: 0, skipped: 1 });
  remarks.push(
    "Chromium is missing: the browser tests were not run (apt-get install chromium, or set CHROMIUM_PATH).",
  );
}
rmSync(reports, { recursive: true, force: true });

const sum = (/** @type {keyof Count} */ name) =>
  counts.reduce((total, count) => total + count[name], 0);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
for (const remark of remarks) process.stdout.write(`\n${remark}\n`);
if (failures.length > 0) process.stdout.write(`\nFailed tests:\n\n${failures.join("\n")}`);
process.stdout.write(
  `\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * Redis and Chromium come from the system, not from npm. As root on Debian they are installed;
 * elsewhere a message names what is missing.
 * @returns {[string | null, string | null]}
 */
function installTools() {
  const wanted = () =>
    /** @type {[string | null, string | null]} */ ([findProgram("redis-server"), findChromium()]);
  const missing = ["redis-server", "chromium"].filter((_name, index) => !wanted()[index]);
  if (missing.length === 0 || process.getuid?.() !== 0 || !findProgram("apt-get")) return wanted();
  try {
    /** @type {import("node:child_process").ExecFileSyncOptions} */
    const options = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    process.stdout.write(`Installing ${missing.join(" and ")}…\n`);
    execFileSync("apt-get", ["-qq", "update"], options);
    execFileSync(
      "apt-get",
      ["-qq", "install", "-y", "--no-install-recommends", ...missing],
      options,
    );
  } catch {
    process.stdout.write("apt-get could not install them.\n");
  }
  return wanted();
}

function findChromium() {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return existsSync(CHROMIUM_PATH) ? CHROMIUM_PATH : null;
  // The first one needs the least CPU time.
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  return names.map(findProgram).find((program) => program !== null) ?? null;
}

/** @param {string} name */
function findProgram(name) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} environment
 * @returns {Promise<number>} the exit code
 */
function run(command, args, environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...environment },
    });
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/**
 * Notes a failed test for the list at the end, where it is found without reading the whole log.
 * @param {string} title @param {string} message
 */
function noteFailure(title, message) {
  const lines = stripVTControlCharacters(message).split("\n").slice(0, 12);
  failures.push([title, ...lines.map((line) => `    ${line}`), ""].join("\n"));
}

/** @param {number} exitCode @returns {Count} */
function countCheck(exitCode) {
  if (exitCode !== 0) noteFailure("npm run check", "See its output above.");
  return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
}

/**
 * A runner that failed without a failed test (a file that does not load, an unhandled error) counts
 * as one failure.
 * @param {Count} count @param {number} exitCode @returns {Count}
 */
function orFailure(count, exitCode) {
  return exitCode !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

/** @param {string} report @param {number} exitCode */
function countVitest(report, exitCode) {
  for (const { name, message, status, assertionResults } of read(report).testResults ?? []) {
    const file = path.relative(".", name);
    for (const test of assertionResults)
      if (test.status === "failed")
        noteFailure(`${file} > ${test.fullName}`, test.failureMessages.join("\n"));
    if (status === "failed" && message) noteFailure(file, message);
  }
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
  } = read(report);
  return orFailure(
    { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests },
    exitCode,
  );
}

/** @param {string} report @param {number} exitCode */
function countPlaywright(report, exitCode) {
  const { suites = [], errors = [] } = read(report);
  for (const suite of suites) notePlaywright(suite);
  for (const error of errors) noteFailure("playwright", error.message ?? "");
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = read(report).stats ?? {};
  return orFailure({ passed: expected + flaky, failed: unexpected, skipped }, exitCode);
}

/** @param {Suite} suite */
function notePlaywright({ specs = [], suites = [] }) {
  for (const { file, title, ok, tests } of specs)
    if (!ok)
      noteFailure(
        `tests/e2e/${file} > ${title}`,
        tests.flatMap(({ results }) => results.map(({ error }) => error?.message ?? "")).join("\n"),
      );
  for (const suite of suites) notePlaywright(suite);
}

/** @param {string} report */
function read(report) {
  return existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
}
