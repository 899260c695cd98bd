import { expect, test } from "vitest";
import { runSql } from "@/lib/platform/db";
import { analyzeNewTables } from "@/lib/scheduling/analyze-new-tables";
import { newPartition } from "../support/webhooks";

const run = (text: string, values: unknown[] = []) =>
  runSql<{ rows: number; analyses: number }>({ text, values });

const statisticsOf = async () => {
  const [statistics] = await run(
    `SELECT c.reltuples::int AS rows, (s.analyze_count + s.autoanalyze_count)::int AS analyses
     FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relname = 'customers'`,
  );
  return statistics;
};

async function add(count: number): Promise<void> {
  const { tenantId } = await newPartition();
  await run(
    `INSERT INTO customers (tenant_id, environment, id, created_at, updated_at)
     SELECT $1, 'live', 'cus_' || n, now(), now() FROM generate_series(1, $2::int) AS n`,
    [tenantId, count],
  );
}

test("a table that was analyzed while it was empty is analyzed when it has rows, and again when it has doubled", async () => {
  await run("ALTER TABLE customers SET (autovacuum_enabled = off)");
  await run("ANALYZE customers");
  expect((await statisticsOf())?.rows).toBe(0);
  await add(100);
  // PostgreSQL counts changes with a delay of seconds.
  const analyzed = async () => {
    await analyzeNewTables(100);
    return (await statisticsOf())?.rows;
  };
  await expect.poll(analyzed).toBe(100);

  const before = (await statisticsOf())?.analyses;
  await add(60);
  await run("UPDATE customers SET name = 'Ada'");
  const changes =
    "SELECT n_mod_since_analyze::int AS rows FROM pg_stat_user_tables WHERE relname = 'customers'";
  await expect.poll(async () => (await run(changes))[0]?.rows).toBe(220);
  await analyzeNewTables(100);
  expect((await statisticsOf())?.analyses).toBe(before);

  await add(200);
  await expect.poll(analyzed).toBe(360);
});
