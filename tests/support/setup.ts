import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, inject, type MockInstance, vi } from "vitest";
import { databaseWaits } from "@/lib/platform/database-waits";
import { newDatabase } from "./database";
import { afterEachFile, beforeEachFile } from "./per-file";

// Not for locks: some tests wait until a request gives up, and those that hold a lock lengthen it.
Object.assign(databaseWaits, {
  freeConnection: 60_000,
  newConnection: 60_000,
  transaction: 60_000,
  idleTransaction: 120_000,
});

// Runs before each test file, and before that file imports anything: lib/platform/env.ts then finds
// an environment of its own. Files that share a process (vitest.config.ts) share it.
const isShared = process.env.TEST_PROCESS === "shared";
const shared = globalThis as { parlanceTestEnvironment?: Promise<void> };
shared.parlanceTestEnvironment ??= setEnvironment();
await shared.parlanceTestEnvironment;

async function setEnvironment() {
  const directory = mkdtempSync(path.join(inject("scratch"), "blobs-"));
  Object.assign(process.env, {
    NODE_ENV: "test",
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
    DATABASE_URL: await newDatabase(),
    DATABASE_POOL_SIZE: "8",
    SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
    AUDIT_KEYS: randomBytes(32).toString("base64"),
    AUDIT_ANCHOR_FILE: path.join(directory, "audit-anchors.jsonl"),
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8,::1/128",
    BLOB_DIRECTORY: directory,
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
}

beforeAll(async () => {
  for (const hook of beforeEachFile) await hook();
});

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
  try {
    for (const hook of afterEachFile) await hook();
  } finally {
    const { flushAnchors } = await import("@/lib/audit/anchors");
    await flushAnchors().catch(() => {});
    await (isShared ? leaveAsFound() : closeConnections());
  }
});

async function closeConnections() {
  const [{ closeDatabase }, { stopKeyCache }] = await Promise.all([
    import("@/lib/platform/db"),
    import("@/lib/api-keys/key-cache"),
  ]);
  stopKeyCache();
  await closeDatabase();
}

const environmentBefore = { ...process.env };

/** What one file leaves in the process must not decide about the next one. */
async function leaveAsFound() {
  const [{ timeSetByTest }, { restartIds }] = await Promise.all([
    import("@/lib/platform/time"),
    import("@/lib/resources/ids"),
  ]);
  (globalThis as { parlanceRateLimit?: unknown }).parlanceRateLimit = undefined;
  restartIds();
  const changed = Object.keys({ ...process.env, ...environmentBefore }).filter(
    (name) => process.env[name] !== environmentBefore[name],
  );
  if (changed.length > 0)
    throw new Error(
      `This file changes ${changed.join(", ")}. Give it a process of its own in vitest.config.ts.`,
    );
  if (timeSetByTest()) throw new Error("This file leaves the time set. Call setCurrentTime(null).");
}
