import { runSql } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";

/**
 * So few changes that PostgreSQL itself would wait a minute and more before it looks at a table for
 * the first time.
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
 * Has PostgreSQL look at tables that it has no statistics of. Until then it takes every index that
 * begins with tenant and environment for as good as the primary key, reads all rows of a tenant
 * where one was meant, and the first minute of a new installation under load would be a hundred
 * times slower than the second. Each table needs this once.
 */
export async function analyzeNewTables(limit: number): Promise<number> {
  const tables = await runSql<{ name: string }>(tablesWithoutStatisticsStatement({ limit }));
  for (const { name } of tables) await runSql({ text: `ANALYZE "${name}"`, values: [] });
  return 0;
}
