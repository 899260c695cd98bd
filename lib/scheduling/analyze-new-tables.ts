import { runSql } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";

/**
 * With this many changes, PostgreSQL's autovacuum would analyze a new table only after a minute or
 * more.
 */
const tablesWithoutStatisticsStatement = sql(
  "tables_without_statistics",
  { limit: "int" },
  (p) => `
  SELECT relname AS name FROM pg_stat_user_tables
  WHERE schemaname = current_schema() AND last_analyze IS NULL AND last_autoanalyze IS NULL AND n_mod_since_analyze >= 50
  LIMIT ${p.limit}`,
);

/**
 * Analyzes tables that have no statistics yet. Without statistics, PostgreSQL treats every index
 * that starts with tenant and environment as equal to the primary key and reads all rows of a
 * tenant instead of one, so the first minute of a new installation under load would be a hundred
 * times slower than the second. Each table needs this once.
 */
export async function analyzeNewTables(limit: number): Promise<number> {
  const tables = await runSql<{ name: string }>(tablesWithoutStatisticsStatement({ limit }));
  for (const { name } of tables) await runSql({ text: `ANALYZE "${name}"`, values: [] });
  return 0;
}
