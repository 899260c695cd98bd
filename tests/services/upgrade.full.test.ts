import pg from "pg";
import { expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { applyMigrations } from "@/prisma/migrate";
import { migrationNames } from "@/prisma/migration-files";
import { requireMigrations } from "@/prisma/require-migrations";
import { runMigration } from "@/prisma/run-script";
import { withBootLock } from "@/server/boot-lock";
import { untilReleased } from "@/server/embedded/release";
import { supervise } from "@/server/embedded/supervised-process";
import { newTenant } from "../support/api";
import { newDatabase } from "../support/database";
import { listedLog } from "../support/listed-log";
import { freePort, startWeb, startWorker } from "../support/processes";
import { startReceiver } from "../support/receiver";

const newest = migrationNames().at(-1) ?? "";
const migrate = (url: string) => withBootLock(url, () => applyMigrations(url));

async function withPool<Result>(
  url: string,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  return work(pool).finally(() => pool.end());
}

test("ten replicas that start concurrently on an empty database apply each migration once", async () => {
  const url = await newDatabase({ isEmpty: true });
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(url)));
  expect(applied.filter((names) => names.length > 0)).toEqual([migrationNames()]);
});

test("a migration that failed changes nothing, and the next run applies it", async () => {
  const url = await newDatabase({ isEmpty: true });
  await withPool(url, async (pool) => {
    await pool.query("CREATE FUNCTION refuse_change() RETURNS int LANGUAGE sql AS 'SELECT 1'");
    await expect(migrate(url)).rejects.toThrow(/refuse_change/);
    const { rows } = await pool.query("SELECT to_regclass('tenants') AS tenants");
    expect(rows).toEqual([{ tenants: null }]);
    await pool.query("DROP FUNCTION refuse_change");
  });
  expect(await migrate(url)).toEqual(migrationNames());
  expect(await migrate(url)).toEqual([]);
});

test("a migration that waits for a lock lets other statements pass, and goes on when it is free", async () => {
  await withPool(await newDatabase(), async (pool) => {
    const [reader, other] = [await pool.connect(), await pool.connect()];
    await reader.query("BEGIN");
    await reader.query("SELECT count(*) FROM customers");
    let isDone = false;
    const migrating = runMigration(pool, "ALTER TABLE customers ADD COLUMN nickname TEXT").then(
      () => {
        isDone = true;
      },
    );
    const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = 'customers'::regclass`;
    await expect.poll(async () => (await other.query(waiting)).rows[0].count).toBe(1);
    // It stands behind the migration until that gives up.
    await other.query("SELECT count(*) FROM customers");
    expect(isDone).toBe(false);
    await reader.query("COMMIT");
    await migrating;
    expect((await other.query("SELECT nickname FROM customers")).rows).toEqual([]);
    reader.release();
    other.release();
  });
});

test("a migration without a transaction builds indexes and fills columns in batches, and can run again", async () => {
  await withPool(await newDatabase(), async (pool) => {
    await pool.query(
      "CREATE TABLE pets AS SELECT i AS id, NULL::int AS age FROM generate_series(1, 25) i",
    );
    const script = `-- without a transaction
DROP INDEX CONCURRENTLY IF EXISTS pets_idx;
CREATE INDEX CONCURRENTLY pets_idx ON pets (id);
-- in batches
UPDATE pets SET age = 1 WHERE id IN (SELECT id FROM pets WHERE age IS NULL LIMIT 10);`;
    await runMigration(pool, script);
    await runMigration(pool, script);
    const { rows } = await pool.query("SELECT count(age)::int AS filled FROM pets");
    expect(rows).toEqual([{ filled: 25 }]);
  });
});

test("this version runs on a newer schema: API, webhooks and its own migrate command", async () => {
  await withPool(env().DATABASE_URL, async (pool) => {
    await pool.query(`
      ALTER TABLE conversations ADD COLUMN newer INT NOT NULL DEFAULT 0;
      ALTER TABLE deliveries ADD COLUMN region TEXT;
      CREATE TABLE pets (id TEXT PRIMARY KEY);
      INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
        VALUES ('newer', 'sum', now(), '29990101000000_newer', 1)`);
    await pool.query(`ALTER TYPE "BacklogAction" ADD VALUE 'NEWER'`);
  });
  const [web, worker] = [await startWeb(), await startWorker()];
  const receiver = await startReceiver();
  try {
    const { key } = await newTenant();
    const post = (path: string, body: object) =>
      fetch(`${web.url}/v1/public${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    await post("/webhooks", { url: receiver.url, events: ["*"] });
    expect((await post("/conversations", { channelId: "web" })).status).toBe(201);
    await receiver.received(1);
    expect(await migrate(env().DATABASE_URL)).toEqual([]);
  } finally {
    await Promise.all([web.end(), worker.end(), receiver.close()]);
  }
});

test("web and worker refuse a schema that is older, and say which migration it lacks", async () => {
  await withPool(env().DATABASE_URL, async (pool) => {
    await pool.query("UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1", [
      newest,
    ]);
    try {
      await expect(requireMigrations()).rejects.toThrow(
        `The database is older than this version: it lacks the migration ${newest}. Run \`npm run admin -- migrate\` first`,
      );
      await expect(startWeb()).rejects.toThrow("web ended with 1");
      await expect(startWorker()).rejects.toThrow("worker ended with 1");
    } finally {
      await pool.query(
        "UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = $1",
        [newest],
      );
    }
  });
});

test("web and worker that start before the migrations use the database only once they are released", async () => {
  const DATABASE_URL = await newDatabase({ isEmpty: true });
  const { lines, notices, log } = listedLog();
  const port = await freePort();
  const environment = {
    ...process.env,
    DATABASE_URL,
    PORT: String(port),
    NEXTAUTH_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: "info",
    NODE_ENV: "production" as const,
  };
  const parts = ["web", "worker"].map((part) =>
    supervise([`dist/${part}.js`, untilReleased], environment, log),
  );
  try {
    // They start later, and do not wait.
    await expect(startWeb({ DATABASE_URL })).rejects.toThrow("web ended with 1");
    await expect(startWorker({ DATABASE_URL })).rejects.toThrow("worker ended with 1");
    expect([...lines, ...notices]).toEqual([]);

    await migrate(DATABASE_URL);
    for (const part of parts) part.release();
    await expect.poll(() => lines.join("\n")).toContain("web is listening");
    await expect.poll(() => lines.join("\n")).toContain("the worker is running");
    expect(parts.map((part) => part.failures())).toEqual([0, 0]);
  } finally {
    await Promise.all(parts.map((part) => part.stop(10_000)));
  }
});
