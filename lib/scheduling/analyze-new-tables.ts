import { runSql } from "@/lib/platform/db";
import { leaveOut } from "@/lib/platform/leave-out";
import { sql } from "@/lib/platform/sql";

/**
 * A table that was analyzed while it was empty, as the weeks ahead are by an operator's ANALYZE, has
 * statistics that are worse than none. With this many rows or more, old statistics do little harm.
 */
const fewRows = 10_000;

/**
 * With this many changes, PostgreSQL's autovacuum would analyze a new table only after a minute or
 * more.
 */
export const outgrownTablesStatement = sql(
  "outgrown_tables",
  { limit: "int", except: "text[]" },
  (p) => `
  SELECT s.relname AS name FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE s.schemaname = current_schema() AND s.n_mod_since_analyze >= 50 AND s.relname <> ALL (${p.except})
    AND CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(c.oid, 'MAINTAIN')
      ELSE pg_has_role(c.relowner, 'USAGE') END
    AND (s.last_analyze IS NULL AND s.last_autoanalyze IS NULL
      OR c.reltuples < ${fewRows} AND s.n_live_tup >= 2 * greatest(c.reltuples, 0) + 50)
  LIMIT ${p.limit}`,
);

/** One may be locked by autovacuum, or by a migration. */
const leftOutTables = leaveOut("a table could not be analyzed and will be tried again", {
  forMs: 30_000,
});

/**
 * Analyzes tables that have no statistics yet, or have more than doubled since. Without statistics,
 * PostgreSQL treats every index that starts with tenant and environment as equal to the primary key
 * and reads all rows of a tenant instead of one, so the first minute of a new installation or week
 * under load would be a hundred times slower than the second. Leaves out tables that the role may
 * not analyze, such as the audit log: PostgreSQL would only write a warning, each time.
 */
export async function analyzeNewTables(limit: number): Promise<number> {
  const tables = await runSql<{ name: string }>(
    outgrownTablesStatement({ limit, except: leftOutTables.ids() }),
  );
  for (const { name } of tables)
    await leftOutTables.attempt(name, { table: name }, () =>
      runSql({ text: `ANALYZE "${name}"`, values: [] }),
    );
  return 0;
}
