import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, type MockInstance, vi } from "vitest";
import { newDatabase } from "./database";

// Runs before each test file, and before that file imports anything: lib/platform/env.ts then finds
// an environment of its own.

const blobDirectory = mkdtempSync(path.join(tmpdir(), "parlance-blobs-"));

Object.assign(process.env, {
  NODE_ENV: "test",
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
  DATABASE_URL: await newDatabase(),
  DATABASE_POOL_SIZE: "8",
  SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
  NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
  AUDIT_KEYS: randomBytes(32).toString("base64"),
  AUDIT_ANCHOR_FILE: path.join(blobDirectory, "audit-anchors.jsonl"),
  WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8,::1/128",
  BLOB_DIRECTORY: blobDirectory,
});

// Variables of a developer's shell must not change the tests.
for (const name of [
  "APP_URL",
  "NEXTAUTH_URL",
  "ERROR_BASE",
  "SERVICE_PREFIX",
  "JOBS",
  "WEBHOOK_RETRY_SCHEDULE",
  "TRUSTED_PROXY_HOPS",
]) {
  delete process.env[name];
}
for (const name of Object.keys(process.env))
  if (/^(INNGEST|UPSTASH|S3|SMTP|MAIL|GITHUB|GOOGLE)_/.test(name)) delete process.env[name];

let consoleError: MockInstance<typeof console.error>;
beforeEach(() => {
  consoleError = vi.spyOn(console, "error").mockImplementation(() => {});
});

/**
 * A test that expects an error on the console clears it: `vi.mocked(console.error).mockClear()`.
 */
afterEach(() => {
  const written = consoleError.mock.calls.map((parts) => parts.map(String).join(" "));
  consoleError.mockRestore();
  if (written.length > 0) throw new Error(`console.error was called:\n${written.join("\n")}`);
});

afterAll(async () => {
  const [{ closeDatabase }, { stopKeyCache }, { flushAnchors }] = await Promise.all([
    import("@/lib/platform/db"),
    import("@/lib/api-keys/key-cache"),
    import("@/lib/audit/anchors"),
  ]);
  await flushAnchors().catch(() => {});
  stopKeyCache();
  await closeDatabase();
  rmSync(blobDirectory, { recursive: true, force: true });
});
