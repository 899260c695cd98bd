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
  return postgres.stop;
}
