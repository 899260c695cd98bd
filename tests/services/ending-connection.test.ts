import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeDatabase, db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";

vi.hoisted(() => {
  process.env.DATABASE_POOL_SIZE = "1";
});

const readyForQuery = Buffer.from("Z\0\0\0\x05I", "latin1");

/** What PostgreSQL sends before it closes a connection. */
function goodbye(): Buffer {
  // cspell:ignore SFATAL Mterminating
  const fields = "SFATAL\0C57P01\0Mterminating connection\0\0";
  const packet = Buffer.alloc(5 + fields.length);
  packet.write("E", "latin1");
  packet.writeInt32BE(4 + fields.length, 1);
  packet.write(fields, 5, "latin1");
  return packet;
}

let endsNext = false;

/** Ends a connection in the packet that also ends a statement, once it is told to. */
const proxy = createServer((near) => {
  const { hostname, port } = new URL(databaseUrl);
  const far = connect(Number(port), hostname);
  near.pipe(far);
  far.on("data", (bytes: Buffer) => {
    const isLast = endsNext && bytes.subarray(-readyForQuery.length).equals(readyForQuery);
    if (!isLast) return near.write(bytes);
    endsNext = false;
    near.end(Buffer.concat([bytes, goodbye()]));
    far.destroy();
  });
  for (const socket of [near, far]) socket.on("error", () => {});
  near.on("close", () => far.destroy());
  far.on("close", () => near.destroy());
});
const databaseUrl = env().DATABASE_URL;

beforeAll(async () => {
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  env().DATABASE_URL = url.href;
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

  endsNext = true;
  await other.end();
  expect(await statement).toMatchObject({ rowCount: 1 });
  expect(await transaction).toBe(true);

  expect(await db().$transaction((tx) => tx.tenant.count())).toBe(0);
});
