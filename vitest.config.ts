import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Set by the scripts of package.json.
const { TEST_SUITE, TEST_FOLDER = "**" } = process.env;

// These run with either clock (tests/support/clocks.ts): with Inngest not in the fast suite.
const delivery = (names: string[]) => names.map((name) => `tests/delivery/${name}.test.ts`);

const include =
  TEST_SUITE === "release"
    ? ["tests/**/*.release.test.ts", ...delivery(["disabling", "requested-attempts"])]
    : TEST_SUITE === "full"
      ? [`tests/${TEST_FOLDER}/**/*.full.test.ts`, ...delivery(["recurring-jobs", "schedule"])]
      : [`tests/${TEST_FOLDER}/**/*.test.ts`];
const exclude = [
  "tests/e2e/**",
  "node_modules/**",
  ...(TEST_SUITE === "fast" ? ["tests/**/*.{full,release}.test.ts"] : []),
];

// Loading the application takes more time than most test files need. Files in these folders share
// processes that load it once. Each process has its own database and runs one file after another.
// The listed files have a process of their own, like the rest of tests/, because they change the
// environment, which tests/support/setup.ts reports, or move the time.
const sharing: Record<string, string[]> = {
  api: [
    "deletion",
    "files",
    "knowledge",
    "pipeline",
    "request-logs",
    "usage",
    "webhook-operations",
  ],
  unit: [
    "blob-stores",
    "hostile-urls",
    "logs",
    "loopback-exposure",
    "rate-limit",
    "watch-connection",
  ],
};
const sharingFiles = Object.entries(sharing)
  .filter(([folder]) => ["**", folder].includes(TEST_FOLDER))
  .flatMap(([folder, ownProcess]) =>
    readdirSync(new URL(`tests/${folder}`, import.meta.url))
      .filter((file) => file.endsWith(".test.ts") && !/\.(full|release)\./.test(file))
      .filter((file) => !ownProcess.includes(file.replace(".test.ts", "")))
      .map((file) => `tests/${folder}/${file}`),
  );

const resolve = {
  alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") },
};
const everyFile = {
  setupFiles: "tests/support/setup.ts",
  // Processes, not threads: a pool of connections and native modules belong to one process alone.
  pool: "forks" as const,
  // Limits for what hangs, far above what a busy machine needs. How fast things are is measured
  // by `npm run bench`.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  resolve,
  test: {
    globalSetup: "tests/support/postgres.ts",
    // They often wait for a database or for each other, so three keep two cores busy.
    maxWorkers: 3,
    // In the order of their names: the last files are short, so that all workers end together.
    projects: [
      {
        resolve,
        test: {
          ...everyFile,
          name: "own process",
          include,
          exclude: [...exclude, ...sharingFiles],
        },
      },
      {
        resolve,
        test: {
          ...everyFile,
          name: "shared process",
          isolate: false,
          env: { TEST_PROCESS: "shared" },
          include: ["full", "release"].includes(TEST_SUITE ?? "") ? [] : sharingFiles,
          exclude,
        },
      },
    ],
  },
});
