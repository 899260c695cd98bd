// cspell:ignore indisvalid indexrelid
import { readFileSync } from "node:fs";
import pg from "pg";
import { expect, test } from "vitest";
import {
  applyMigrations,
  beyondSchemaFile,
  diffSchema,
  migratedSchemaFile,
  pendingMigrations,
  schemaFile,
} from "@/prisma/migrate";
import { runMigration } from "@/prisma/run-script";
import { newDatabase } from "../support/database";

/** What PostgreSQL's catalog says about the schema, one fact per row. */
const catalog = `
  SELECT 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' ' || COALESCE(datetime_precision::text, '-')
         || ' null=' || is_nullable || ' default=' || COALESCE(column_default, '-') AS fact
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL
  SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'enum ' || typname || ' ' || string_agg(enumlabel, ',' ORDER BY enumsortorder)
    FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid GROUP BY typname
  UNION ALL
  SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace`;

async function factsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ fact: string }>(catalog);
  // Prisma's own table of applied migrations is in only one of the two databases.
  return rows
    .map((row) => row.fact)
    .filter((fact) => !fact.includes("_prisma_migrations"))
    .sort();
}

async function withClient<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return work(client).finally(() => client.end());
}

test("the snapshot that the next migration starts from is the schema of today", () => {
  expect(readFileSync(migratedSchemaFile, "utf8")).toBe(readFileSync(schemaFile, "utf8"));
});

test("the migrations lead to exactly the database that schema.prisma and beyond-schema.sql describe", async () => {
  const [migrated, described] = await Promise.all([
    newDatabase({ isEmpty: true }),
    newDatabase({ isEmpty: true }),
  ]);
  await applyMigrations(migrated);
  const script = await diffSchema(described, null);

  const fromSchema = await withClient(described, async (client) => {
    await client.query(script);
    await client.query(readFileSync(beyondSchemaFile, "utf8"));
    return factsOf(client);
  });
  const fromMigrations = await withClient(migrated, factsOf);

  expect(fromSchema.length).toBeGreaterThan(100);
  expect(fromMigrations).toEqual(fromSchema);
});

test("migrations are applied once, and missing ones are listed without being applied", async () => {
  const address = await newDatabase({ isEmpty: true });

  const missing = await pendingMigrations(address);
  expect(missing).not.toHaveLength(0);
  expect(await applyMigrations(address)).toEqual(missing);
  expect(await applyMigrations(address)).toEqual([]);
  expect(await pendingMigrations(address)).toEqual([]);
});

test("a migration without a transaction that meets a lock starts again, and is finished only once all of it ran", async () => {
  const pool = new pg.Pool({ connectionString: await newDatabase({ isEmpty: true }) });
  const writer = await pool.connect();
  try {
    await pool.query(`
      CREATE TABLE pets AS SELECT i AS id, NULL::int AS age FROM generate_series(1, 25) i;
      CREATE TABLE starts (at timestamptz);
      CREATE TABLE _prisma_migrations (id text, finished_at timestamptz, rolled_back_at timestamptz);
      INSERT INTO _prisma_migrations (id) VALUES ('pets')`);
    const finished = async () =>
      (await pool.query("SELECT finished_at IS NOT NULL AS is FROM _prisma_migrations")).rows[0].is;
    const isValid = `SELECT indisvalid AS is FROM pg_index WHERE indexrelid = 'pets_idx'::regclass`;
    const script = `-- without a transaction
INSERT INTO starts VALUES (now());
-- in batches
UPDATE pets SET age = 1 WHERE id IN (SELECT id FROM pets WHERE age IS NULL LIMIT 10);
DROP INDEX CONCURRENTLY IF EXISTS pets_idx;
CREATE INDEX CONCURRENTLY pets_idx ON pets (id);`;
    // The index waits for this transaction, gives up, and leaves an invalid index.
    await writer.query("BEGIN; INSERT INTO pets VALUES (26, 1)");
    const running = runMigration(pool, script);
    const starts = async () => (await pool.query("SELECT FROM starts")).rowCount;
    await expect.poll(starts).toBeGreaterThan(1);
    expect((await pool.query(isValid)).rows).toEqual([{ is: false }]);
    expect(await finished()).toBe(false);

    await writer.query("COMMIT");
    await running;
    expect((await pool.query(isValid)).rows).toEqual([{ is: true }]);
    const { rows } = await pool.query("SELECT count(age)::int AS filled FROM pets");
    expect(rows).toEqual([{ filled: 26 }]);
    expect(await finished()).toBe(true);

    // Any other error ends it, and it counts as not finished.
    await pool.query("UPDATE _prisma_migrations SET finished_at = NULL");
    await expect(runMigration(pool, `${script}\nSELECT 1 / 0;`)).rejects.toThrow();
    expect(await finished()).toBe(false);
  } finally {
    writer.release();
    await pool.end();
  }
});

test("keys above their plan count as raised by an operator when the limits of others are capped", async () => {
  const pool = new pg.Pool({ connectionString: await newDatabase() });
  try {
    await pool.query(`
      ALTER TABLE api_keys DROP COLUMN is_capped_by_plan;
      INSERT INTO tenants (id, slug, name, plan, created_at, moved_to)
        VALUES ('free', 'free', '', 'FREE', now(), NULL), ('scale', 'scale', '', 'SCALE', now(), NULL),
          ('moved', 'moved', '', 'SCALE', now(), 'https://example.com');
      INSERT INTO api_keys (tenant_id, environment, id, name, hash, hint, scopes, allowed_ips, created_at, rate_limit_per_minute)
        SELECT tenant, 'test', tenant || ' ' || coalesce(rate, 0), '', (tenant || coalesce(rate, 0))::bytea, '', '{}', '{}', now(), rate
        FROM unnest(ARRAY['free', 'scale', 'moved']) tenant, unnest(ARRAY[NULL, 60, 6000, 6001]) rate`);
    const name = "20261129182437_cap_rate_limits_by_plan";
    const script = readFileSync(`prisma/migrations/${name}/migration.sql`, "utf8");
    await runMigration(pool, script);
    await runMigration(pool, script);
    const { rows } = await pool.query(
      "SELECT id FROM api_keys WHERE is_capped_by_plan ORDER BY id",
    );
    expect(rows.map(({ id }) => id)).toEqual(["free 60", "scale 60", "scale 6000"]);
  } finally {
    await pool.end();
  }
});
