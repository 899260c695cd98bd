import { EventEmitter } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { PreparedQuery, type PreparedStatement } from "@/lib/platform/prepared-query";
import { responseTypes } from "@/lib/platform/response-types";

// The columns of a prepared statement are remembered for the process. Connections may still differ,
// for example before and after a migration.

const connect = async (columns: string) => {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await client.query(`CREATE TEMPORARY TABLE shape AS SELECT ${columns}`);
  return client;
};

let clients: pg.Client[];
beforeAll(async () => {
  clients = [
    await connect("1 AS a, 'x'::text AS b, '2026-01-31 09:30+00'::timestamptz AS at"),
    await connect("1 AS a, 'x'::text AS b, '2026-01-31 09:30+00'::timestamptz AS at, true AS c"),
    await connect("'1'::text AS a, 'x'::text AS b, now() AS at"),
    await connect("1 AS z, 'x'::text AS b, now() AS at"),
  ];
  for (const client of clients) await client.query("SET timezone = 'UTC'");
});
afterAll(() => Promise.all(clients.map((client) => client.end())));

const statement = { name: "read_shape", text: "SELECT * FROM shape WHERE $1", values: [true] };

async function read(client: number, more: Partial<PreparedStatement> = {}) {
  const query = new PreparedQuery({ ...statement, ...more });
  return new Promise<pg.QueryResult>((resolve, reject) => {
    const given = query as unknown as { callback: unknown };
    given.callback = (error: Error | null, result: pg.QueryResult) =>
      error ? reject(error) : resolve(result);
    clients[client]?.query(query);
  });
}

test("a statement's rows are right on every connection, whatever its columns were before", async () => {
  const at = new Date("2026-01-31T09:30:00Z");
  for (let round = 0; round < 3; round++) {
    expect((await read(0)).rows).toEqual([{ a: 1, b: "x", at }]);
    expect((await read(0)).rows).toEqual([{ a: 1, b: "x", at }]);
    expect((await read(1)).rows).toEqual([{ a: 1, b: "x", at, c: true }]);
    expect((await read(2)).rows).toMatchObject([{ a: "1", b: "x" }]);
    expect((await read(3)).rows.map((row) => Object.keys(row))).toEqual([["z", "b", "at"]]);
  }
});

test("the same statement can be read with other types", async () => {
  const expected = [{ a: 1, b: "x", at: "2026-01-31T09:30:00.000Z" }];
  for (let round = 0; round < 3; round++) {
    expect((await read(0, { types: responseTypes })).rows).toEqual(expected);
    expect((await read(0)).rows[0]?.at).toBeInstanceOf(Date);
  }
});

test("rows are objects of their own, and an empty result has none", async () => {
  const [first] = (await read(0)).rows;
  first.a = 2;
  first.more = true;
  expect((await read(0)).rows).toMatchObject([{ a: 1 }]);
  expect((await read(0)).rows[0]).not.toHaveProperty("more");
  expect((await read(0, { values: [false] })).rows).toEqual([]);
});

test("an error reaches the caller, and the statement can be used again", async () => {
  const failing = { name: "divide", text: "SELECT 1 / $1::int AS result" };
  await expect(read(0, { ...failing, values: [0] })).rejects.toMatchObject({ code: "22012" });
  expect((await read(0, { ...failing, values: [1] })).rows).toEqual([{ result: 1 }]);
});

test.each(["readyForQuery", "end"])("a refused statement rejects at %s, once", (event) => {
  const { query, connection, received } = sent();
  const error = Object.assign(new pg.DatabaseError("refused", 0, "error"), { severity: "ERROR" });
  query.handleError(error, connection);
  expect(received).toEqual([]);
  connection.emit(event);
  connection.emit("readyForQuery");
  connection.emit("end");
  expect(received).toEqual([error]);
});

test.each([
  new Error("Connection terminated unexpectedly"),
  Object.assign(new pg.DatabaseError("ended", 0, "error"), { severity: "FATAL", code: "57P01" }),
  Object.assign(new pg.DatabaseError("replica", 0, "error"), { severity: "ERROR", code: "25006" }),
])("a statement rejects immediately if its connection ends: $message", (error) => {
  const { query, connection, received } = sent();
  query.handleError(error, connection);
  expect(received).toEqual([error]);
});

/** `received` gets the query's error. */
function sent() {
  const received: unknown[] = [];
  const callback = (error: unknown) => received.push(error);
  const query = Object.assign(new PreparedQuery(statement), { callback });
  return { query, connection: new EventEmitter(), received };
}

test("after a connection was ended, its pool opens another one, and can be closed", async () => {
  const pool = new pg.Pool({ connectionString: env().DATABASE_URL, max: 1 });
  const sleeping = { name: "sleeping", text: "SELECT pg_sleep(600)", values: [] };
  const lost = pool
    .query(new PreparedQuery(sleeping) as unknown as pg.QueryConfig)
    .catch((error) => error);
  const waiting = pool.query("SELECT 1 AS one");
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query = $1`;
  while ((await clients[0]?.query(end, [sleeping.text]))?.rowCount === 0);
  expect(await lost).toMatchObject({ code: "57P01" });
  expect((await waiting).rows).toEqual([{ one: 1 }]);
  await pool.end();
});
