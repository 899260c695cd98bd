import { defineConfig } from "@playwright/test";

// Uses the browser of the machine: Debian's chromium, or the one in CHROMIUM_PATH. It connects to
// no other servers.
const browserArguments = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
];

// `npm test` leaves these to `npm run test:full`: files by that name, and tests with that tag. Those
// of a release are run in both.
const longTests = /\.full\.spec\.ts|@full/;
const suites: Record<string, { grep?: RegExp; grepInvert?: RegExp }> = {
  fast: { grepInvert: longTests },
  full: { grep: longTests },
  release: { grep: /@release/ },
};

export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/start-product.ts",
  ...suites[process.env.TEST_SUITE ?? ""],
  fullyParallel: true,
  workers: 3,
  forbidOnly: Boolean(process.env.CI),
  // Limits for what hangs, far above what a busy machine needs: how fast pages are is measured by
  // `npm run bench:pages`.
  timeout: 600_000,
  expect: { timeout: 120_000 },
  reporter: [["list"]],
  use: {
    // An action or navigation that hangs fails long before its test times out.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    // Set by the global setup, before the workers read this file again.
    baseURL: process.env.PRODUCT_URL,
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
      args: browserArguments,
    },
  },
});
