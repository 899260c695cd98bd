import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/e2e/**", "node_modules/**"],
    globalSetup: "tests/support/postgres.ts",
    setupFiles: "tests/support/setup.ts",
    // Processes, not threads: a pool of connections and native modules belong to one test file alone.
    pool: "forks",
    // Most of them wait for a database or for each other, so two at a time pass on two cores as well.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
