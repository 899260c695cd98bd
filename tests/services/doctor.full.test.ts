import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { pool, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { createGuards, dropGuards } from "@/lib/tenant-move/guard";
import { nameOf } from "@/lib/tenant-move/sessions";
import { commandLockOf } from "@/lib/tenant-move/state";
import { examineClock, examineDatabase } from "@/server/admin/examine-database";
import { examineMoves } from "@/server/admin/examine-moves";
import { examineDisk, examineStorage } from "@/server/admin/examine-storage";
import { runAdmin } from "../support/admin";
import { newDatabase } from "../support/database";
import { startS3Server } from "../support/s3-server";
import { newPartition } from "../support/webhooks";

const databaseOf = async (DATABASE_URL: string) =>
  (await examineDatabase({ ...env(), DATABASE_URL }))
    .map(({ subject, problem, fact }) => `${subject}: ${problem ?? fact}`)
    .join("\n");

test("admin migrate applies what is missing, and doctor suggests it until then", async () => {
  const DATABASE_URL = await newDatabase({ isEmpty: true });
  expect(await databaseOf(DATABASE_URL)).toMatch(
    /migrations: not applied: \w+.* Apply them with `npm run admin -- migrate`/,
  );
  const { output, exitCode } = await runAdmin(["migrate"], { DATABASE_URL });
  expect([JSON.parse(output).applied.length > 0, exitCode]).toEqual([true, 0]);
  expect(await databaseOf(DATABASE_URL)).toContain("migrations: all applied");
});

test("doctor says what to correct if the database refuses the role, the password or the name", async () => {
  const DATABASE_URL = await newDatabase();
  const addressWith = (change: (url: URL) => void) => {
    const url = new URL(DATABASE_URL);
    change(url);
    return url.href;
  };
  const role = `without_rights_${randomBytes(4).toString("hex")}`;
  await pool().query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  const asRole = (password: string) =>
    addressWith((url) => Object.assign(url, { username: role, password }));

  expect(await databaseOf(asRole("secret"))).toMatch(
    new RegExp(
      `^database: .* cannot be used \\(.*permission denied[^\n]*\\)\\. The role ${role} has no rights there yet\\. Run .* migrate. with MIGRATION_DATABASE_URL [^\n]*$`,
    ),
  );
  expect(await databaseOf(asRole("wrong"))).toMatch(
    /\(password authentication failed .*\)\. Correct the user and the password in DATABASE_URL/,
  );
  expect(await databaseOf(addressWith((url) => Object.assign(url, { pathname: "/none" })))).toMatch(
    /\(database "none" does not exist\)\. Create the database, or correct its name/,
  );
  await pool().query(`DROP ROLE ${role}`);
});

test("doctor names a clock that differs from PostgreSQL's, and in which direction", async () => {
  expect(await databaseOf(env().DATABASE_URL)).toContain("clock: agrees with PostgreSQL's");
  const noonMs = Date.UTC(2026, 0, 1, 12);
  expect(examineClock(noonMs, noonMs + 30_000).problem).toBeUndefined();
  expect(examineClock(noonMs, noonMs + 31_000).problem).toMatch(/ 31 s ahead of PostgreSQL's/);
  expect(examineClock(noonMs, noonMs - 600_000).problem).toMatch(/ 600 s behind PostgreSQL's/);
});

test("doctor compares what the running processes may open with what PostgreSQL allows", async () => {
  const DATABASE_URL = await newDatabase();
  const clients = ["keys", "keys", "keys", "wake-up", "wake-up"].map(
    (name) =>
      new pg.Client({ connectionString: DATABASE_URL, application_name: `parlance ${name}` }),
  );
  await Promise.all(clients.map((client) => client.connect()));
  const withPool = async (DATABASE_POOL_SIZE: number | undefined) =>
    (await examineDatabase({ ...env(), DATABASE_URL, DATABASE_POOL_SIZE })).find(
      ({ subject }) => subject === "connections",
    );

  expect((await withPool(undefined))?.fact).toMatch(
    /^3 web \(up to 14 each\), 2 workers \(up to 11 each\) and a command need 69 of \d+; /,
  );
  const name = new URL(DATABASE_URL).pathname.slice(1);
  await clients[0]?.query(`ALTER DATABASE "${name}" CONNECTION LIMIT 60`);
  expect((await withPool(undefined))?.problem).toMatch(
    /need 69, but PostgreSQL allows 60\. Lower DATABASE_POOL_SIZE/,
  );
  expect((await withPool(8))?.fact).toMatch(/ need 60 of 60; /);
  await Promise.all(clients.map((client) => client.end()));
});

test("doctor compares the locks that all web processes need with those that PostgreSQL has", async () => {
  const DATABASE_URL = await newDatabase();
  const webs: pg.Client[] = [];
  const withWebs = async (count: number) => {
    while (webs.length < count) {
      const web = new pg.Client({
        connectionString: DATABASE_URL,
        application_name: "parlance keys",
      });
      await web.connect();
      webs.push(web);
    }
    const findings = await examineDatabase({ ...env(), DATABASE_URL, DATABASE_POOL_SIZE: 12 });
    return findings.find(({ subject }) => subject === "locks");
  };
  // 64 for each of the 300 connections of the tests' PostgreSQL.
  expect((await withWebs(15))?.fact).toBe(
    "the event streams and idempotency keys of 15 web need up to 14940 of 19200",
  );
  expect((await withWebs(16))?.problem).toBe(
    "the event streams and idempotency keys of 16 web need up to 15936, but PostgreSQL has 19200 for everything. Raise max_locks_per_transaction to 67 or more",
  );
  await Promise.all(webs.map((web) => web.end()));
});

test("doctor names tables that are missing although every migration is applied, and a read-only database", async () => {
  const DATABASE_URL = await newDatabase();
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query("DROP TABLE mails CASCADE");
  await client.query(
    `ALTER DATABASE "${new URL(DATABASE_URL).pathname.slice(1)}" SET default_transaction_read_only = on`,
  );
  await client.end();

  const found = await databaseOf(DATABASE_URL);
  expect(found).toMatch(/migrations: all applied, but these tables are missing: mails\. /);
  expect(found).toMatch(/database: .* is read-only/);
});

test("doctor stores a file where uploads go, and names a directory that cannot be written and a bucket that cannot be reached", async () => {
  expect(await examineStorage(env())).toEqual({
    subject: "files",
    fact: `can be stored in ${env().BLOB_DIRECTORY}`,
  });

  const credentials = { accessKeyId: "key", secretAccessKey: randomBytes(16).toString("hex") };
  const server = await startS3Server("files", credentials);
  const { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY } = credentials;
  const bucket = {
    ...env(),
    S3_BUCKET: "files",
    S3_ENDPOINT: server.url,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
  };
  expect(await examineStorage(bucket)).toEqual({
    subject: "files",
    fact: "can be stored in the bucket files",
  });
  expect([...server.objects.keys()]).toEqual([]);
  const problem = expect.stringMatching(
    /^cannot be stored in the bucket files \(.+\)\. Check S3_BUCKET/,
  );
  expect(await examineStorage({ ...bucket, S3_SECRET_ACCESS_KEY: "wrong" })).toMatchObject({
    problem,
  });
  await server.close();
  expect(await examineStorage(bucket)).toMatchObject({ problem });

  const { BLOB_DIRECTORY } = env();
  // A directory cannot be created below a file.
  env().BLOB_DIRECTORY = path.resolve("package.json", "blobs");
  expect((await examineStorage(env())).problem).toMatch(
    /uploads arrive in .*, which cannot be written \(ENOTDIR/,
  );
  env().BLOB_DIRECTORY = BLOB_DIRECTORY;
});

test("doctor names a full disk", async () => {
  expect((await examineDisk(env())).fact).toMatch(/^[\d,]+ MiB are free in /);
  // The kernel reports no free space here.
  expect((await examineDisk({ ...env(), DATA_DIR: "/proc" })).problem).toMatch(
    /^only 0 MiB are free in DATA_DIR \(\/proc\)/,
  );
});

test("doctor ends although the database accepts connections and never responds", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await databaseOf(`postgresql://parlance@127.0.0.1:${port}/parlance`)).toMatch(
    /database: .* cannot be used \(.*timeout.*\)/,
  );
  server.close();
});

test("doctor names a move that was interrupted, what it left, and the command that ends it", async () => {
  expect(await examineMoves()).toEqual({
    subject: "moves",
    fact: "no organization is being moved",
  });
  const { tenantId } = await newPartition();
  const [tenant] = (
    await pool().query<{ slug: string }>("SELECT slug FROM tenants WHERE id = $1", [tenantId])
  ).rows;
  const slug = tenant?.slug ?? "";
  const command = new pg.Client({ connectionString: env().DATABASE_URL });
  await command.connect();
  const setState = (state: string, stop: string) =>
    command.query(
      `INSERT INTO tenant_moves (tenant_id, state, target_origin, stopped_until) VALUES ($1, $2, 'https://b.example.com', ${stop})
       ON CONFLICT (tenant_id) DO UPDATE SET state = $2, stopped_until = ${stop}`,
      [tenantId, state],
    );
  await setState("STOPPED", "now() + interval '1 hour'");
  await command.query(`SELECT pg_advisory_lock(${commandLockOf("$1")})`, [tenantId]);
  expect(await examineMoves()).toEqual({
    subject: "moves",
    fact: `in progress: ${slug} to https://b.example.com`,
  });

  await command.query("SELECT pg_advisory_unlock_all()");
  await createGuards(command, tenantId);
  await command.query(`CREATE PUBLICATION ${nameOf(tenantId)}`);
  await command.query(
    `CREATE SUBSCRIPTION ${nameOf(tenantId)} CONNECTION 'host=127.0.0.1' PUBLICATION p WITH (connect = false, slot_name = NONE)`,
  );
  const abort = `\`MOVE_TO_DATABASE_URL=… npm run admin -- tenant:move --tenant ${slug} --abort\``;
  const forget = `If the target is gone for good, run \`npm run admin -- tenant:move --tenant ${slug} --forget-copy\``;
  const interrupted = `the move of the organization ${slug} to https://b.example.com was interrupted`;
  expect((await examineMoves()).problem).toBe(
    `${interrupted}. It left a publication, a subscription, triggers, refused writes for some more seconds. Run the command again, or undo the move with ${abort}. ${forget}`,
  );
  await setState("INCOMING", "NULL");
  expect((await examineMoves()).problem).toMatch(
    /^a move of the organization \S+ to this installation was interrupted\. It left a publication, a subscription, triggers and rows that were copied\. Run `tenant:move` again in the installation that has the organization, or undo it there with `--abort`$/,
  );
  await setState("MOVED", "NULL");
  expect((await examineMoves()).problem).toContain(
    `Complete it with \`MOVE_TO_DATABASE_URL=… npm run admin -- tenant:move --tenant ${slug} --origin https://b.example.com\``,
  );

  // Also what is left without a row that says so.
  await command.query("DELETE FROM tenant_moves");
  await command.query(`DROP SUBSCRIPTION ${nameOf(tenantId)}`);
  await command.query(`DROP PUBLICATION ${nameOf(tenantId)}`);
  expect((await examineMoves()).problem).toBe(
    `the move of the organization ${slug} was interrupted. It left triggers. Run the command again, or undo the move with ${abort}`,
  );
  await dropGuards(command, tenantId);
  await command.end();
  expect((await examineMoves()).fact).toBe("no organization is being moved");
});

test("a prepared statement has the same name in every process and version, derived from its text", async () => {
  await runSql({ name: "probe", text: "SELECT $1::int AS n", values: [1] });
  await runSql({ name: "probe", text: "SELECT $1::int + 1 AS n", values: [1] });
  const { rows } = await pool().query(
    "SELECT name FROM pg_prepared_statements WHERE name LIKE 'probe%' ORDER BY name",
  );
  expect(rows.map(({ name }) => name)).toEqual([
    "probe_2a47402557ebb0b2e4af",
    "probe_8354518bf188db932475",
  ]);
});
