import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applyMigrations } from "@/prisma/migrate";
import { ensureDatabase } from "@/server/embedded/postgres";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import type { Findings } from "./check";
import { type FeedOptions, runFeed } from "./run-feed";

/** The same with its own database, for the command line. Under vitest, a database exists already. */
export async function runFeedOnItsOwn(options: FeedOptions): Promise<Findings> {
  const blobDirectory = mkdtempSync(path.join(tmpdir(), "parlance-blobs-"));
  return withTemporaryPostgres(async (postgres) => {
    await ensureDatabase(postgres, "feed");
    await applyMigrations(postgres.url("feed"));
    // Read once, by lib/platform/env.ts, and passed on to the web processes.
    Object.assign(process.env, {
      DATABASE_URL: postgres.url("feed"),
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      AUDIT_KEYS: randomBytes(32).toString("base64"),
      NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
      NEXTAUTH_URL: "http://127.0.0.1",
      BLOB_DIRECTORY: blobDirectory,
      LOG_LEVEL: "fatal",
    });
    const { closeDatabase } = await import("@/lib/platform/db");
    return runFeed(options).finally(closeDatabase);
  }).finally(() => rmSync(blobDirectory, { recursive: true, force: true }));
}
