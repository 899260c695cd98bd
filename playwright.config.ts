import { defineConfig } from "@playwright/test";

// The browser is the machine's own: Debian's chromium, or whatever CHROMIUM_PATH names. It calls nobody but us.
const browserArguments = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
];

export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/start-product.ts",
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  timeout: 90_000,
  // The first pages after a start load their modules, on a machine that may be busy.
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    // Set by the global setup, before the workers read this file again.
    baseURL: process.env.PRODUCT_URL,
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium", args: browserArguments },
  },
});
