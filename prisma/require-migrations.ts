import { runSql } from "@/lib/platform/db";
import { log } from "@/lib/platform/log";
import { sqlState, tlsProblem } from "@/lib/platform/sql-errors";
import { migrationNames } from "./migration-files";

const undefinedTable = "42P01";
const insufficientPrivilege = "42501";
const advice = "Run `npm run admin -- migrate` first (`migrate` in a container)";

/**
 * Called at boot. A database that is newer than this version is fine, because migrations only add
 * what the version before does not need. An older one would fail at some later statement.
 * @throws if the database lacks a migration of this version, or TLS prevents the connection
 */
export async function requireMigrations(): Promise<void> {
  const missing = await missingMigrations();
  if (missing.length === 0) return;
  const [first] = missing;
  const others = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
  throw new Error(
    `The database is older than this version: it lacks the migration ${first}${others}. ${advice}.`,
  );
}

async function missingMigrations(): Promise<string[]> {
  const wanted = migrationNames();
  try {
    const applied = await runSql<{ name: string }>({
      text: "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
      values: [],
    });
    const names = new Set(applied.map(({ name }) => name));
    return wanted.filter((name) => !names.has(name));
  } catch (error) {
    if (sqlState(error) === undefinedTable) return wanted;
    if (sqlState(error) === insufficientPrivilege)
      throw new Error(
        `The role in DATABASE_URL has no rights in this database yet. ${advice}, with MIGRATION_DATABASE_URL set to the address of the tables' owner: it grants them.`,
      );
    const problem = tlsProblem(error);
    if (problem) throw new Error(`The database cannot be used: ${problem}.`);
    // A process must start even if the database is unreachable.
    const { message } = error as Error;
    log.warn(
      { error: message },
      "the database cannot be used yet, so it was not checked for missing migrations; see `npm run admin -- doctor`",
    );
    return [];
  }
}
