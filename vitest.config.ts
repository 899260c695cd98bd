import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Set by the scripts of package.json.
const { TEST_SUITE, TEST_FOLDER = "**" } = process.env;

// These run with either clock (tests/support/clocks.ts): with Inngest only in the long suite.
const suitesOfClocks = ["disabling", "recurring-jobs", "requested-attempts", "schedule"].map(
  (name) => `tests/delivery/${name}.test.ts`,
);

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    include:
      TEST_SUITE === "release"
        ? ["tests/**/*.release.test.ts"]
        : TEST_SUITE === "full"
          ? [`tests/${TEST_FOLDER}/**/*.full.test.ts`, ...suitesOfClocks]
          : [`tests/${TEST_FOLDER}/**/*.test.ts`],
    exclude: [
      "tests/e2e/**",
      "node_modules/**",
      ...(TEST_SUITE === "fast" ? ["tests/**/*.{full,release}.test.ts"] : []),
    ],
    globalSetup: "tests/support/postgres.ts",
    setupFiles: "tests/support/setup.ts",
    // Processes, not threads: a pool of connections and native modules belong to one test file
    // alone.
    pool: "forks",
    // They often wait for a database or for each other, so three keep two cores busy.
    maxWorkers: 3,
    // Limits for what hangs, far above what a busy machine needs. How fast things are is measured
    // by `npm run bench`.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
