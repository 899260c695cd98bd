import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { applyMigrations } from "@/prisma/migrate";
import { ensureDatabase } from "@/server/embedded/postgres";
import { startTemporaryPostgres } from "@/server/embedded/temporary-postgres";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * The address of the maintenance database, and the name of the migrated one that test files
     * copy.
     */
    postgres: { url: string; template: string };
    /** A directory for the files of the test files, removed at the end of the run. */
    scratch: string;
  }
}

/**
 * Once a run: a real PostgreSQL in a temporary directory, with one migrated database that every
 * test file gets a copy of.
 */
export default async function startPostgresForTests(project: TestProject) {
  const postgres = await startTemporaryPostgres({
    shared_preload_libraries: "pg_stat_statements",
    "pg_stat_statements.max": "50000",
  });
  const template = "template_migrated";
  try {
    await ensureDatabase(postgres, template);
    await applyMigrations(postgres.url(template));
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  project.provide("postgres", { url: postgres.url("postgres"), template });
  const scratch = mkdtempSync(path.join(tmpdir(), "parlance-tests-"));
  project.provide("scratch", scratch);
  return async () => {
    await postgres.stop();
    rmSync(scratch, { recursive: true, force: true });
  };
}
