import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { mutate } from "@/lib/platform/caller";
import { pool, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { analyzeNewTables, outgrownTablesStatement } from "@/lib/scheduling/analyze-new-tables";
import { renameTenant } from "@/lib/tenants/service";
import { grantApplicationRole } from "@/prisma/roles";
import { later } from "../support/later";
import { as, newOrganization } from "../support/people";
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

test("a table that is locked does not hold up the others", async () => {
  for (const table of ["customers", "conversations"])
    await run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  await run("ANALYZE");
  const outgrown = async () =>
    (await runSql<{ name: string }>(outgrownTablesStatement({ limit: 100, except: [] }))).map(
      ({ name }) => name,
    );
  await add(2_000);
  const { tenantId } = await newPartition();
  await run(
    `INSERT INTO conversations (tenant_id, environment, id, channel_id, created_at, updated_at)
     SELECT $1, 'live', 'cnv_' || n, 'web', now(), now() FROM generate_series(1, 2000) AS n`,
    [tenantId],
  );
  await expect.poll(outgrown).toEqual(expect.arrayContaining(["conversations", "customers"]));
  const [locked = "", other = ""] = (await outgrown()).filter((name) =>
    ["conversations", "customers"].includes(name),
  );
  const client = await pool().connect();
  await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
  await client.query(`LOCK TABLE ${locked} IN SHARE UPDATE EXCLUSIVE MODE`);
  await analyzeNewTables(100);
  await client.query("ROLLBACK");
  client.release();
  const left = await outgrown();
  expect(left).toContain(locked);
  expect(left).not.toContain(other);
  await later(30_000, () => analyzeNewTables(100));
  expect(await outgrown()).not.toContain(locked);
});

test("tables that the application's role may not analyze are left out", async () => {
  const ownerUrl = env().DATABASE_URL;
  const applicationUrl = new URL(ownerUrl);
  const [username, password] = [randomBytes(6).toString("hex"), randomBytes(12).toString("hex")];
  Object.assign(applicationUrl, { username: `app_${username}`, password });
  await grantApplicationRole(ownerUrl, applicationUrl.href, { password });
  await run("ALTER TABLE customers SET (autovacuum_enabled = off)");
  await run("ALTER TABLE audit_entries SET (autovacuum_enabled = off)");
  await add(20_000);
  const { owner } = await newOrganization();
  for (let number = 0; number < 60; number++)
    await mutate(as(owner), (caller) => renameTenant(caller, `Name ${number}`));

  const outgrown = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { text, values } = outgrownTablesStatement({ limit: 100, except: [] });
    const { rows } = await client.query<{ name: string }>(text, [...values]);
    await client.end();
    return rows.map(({ name }) => name);
  };
  const tables = ["customers", "audit_entries"];
  await expect.poll(() => outgrown(ownerUrl)).toEqual(expect.arrayContaining(tables));
  const names = await outgrown(applicationUrl.href);
  expect(tables.filter((name) => names.includes(name))).toEqual(["customers"]);
});
