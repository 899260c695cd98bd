import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeDatabase, db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { startEndingProxy } from "../support/ending-proxy";

vi.hoisted(() => {
  process.env.DATABASE_POOL_SIZE = "1";
});

let proxy: Awaited<ReturnType<typeof startEndingProxy>>;
const databaseUrl = env().DATABASE_URL;

beforeAll(async () => {
  proxy = await startEndingProxy(databaseUrl);
  env().DATABASE_URL = proxy.url;
});
afterAll(async () => {
  await closeDatabase();
  proxy.close();
});

test("the process survives a connection that ends between two of its users", async () => {
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  await other.query("SELECT pg_advisory_lock(1)");
  await pool().query("SELECT 1");
  const statement = pool().query("SELECT pg_advisory_lock(1)");
  const waiting =
    "SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = current_database() AND NOT l.granted";
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  // Gets the connection when the statement ends, and listens for its errors a moment later.
  const transaction = db()
    .$transaction((tx) => tx.tenant.count())
    .catch(isDatabaseUnavailable);
  await expect.poll(() => pool().waitingCount).toBe(1);

  proxy.endAfter("");
  await other.end();
  expect(await statement).toMatchObject({ rowCount: 1 });
  expect(await transaction).toBe(true);

  expect(await db().$transaction((tx) => tx.tenant.count())).toBe(0);
});
