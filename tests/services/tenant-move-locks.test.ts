import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { databaseWaits } from "@/lib/platform/database-waits";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { changeState, createGuards, dropGuards } from "@/lib/tenant-move/guard";
import { nameOf } from "@/lib/tenant-move/sessions";
import { call, newTenant, type TestTenant } from "../support/api";

// A request waits up to five seconds for a lock and then gets a 503. So the command of a move must
// never wait in front of requests until a long transaction has ended.
// Here they wait longer, so that only a command that waits in front of them fails a test.
databaseWaits.lock = 30_000;

const open: pg.Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()));
});

async function connect(): Promise<{ client: pg.Client; pid: number }> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  open.push(client);
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return { client, pid: rows[0]?.pid ?? 0 };
}

/** Resolves once the session was seen waiting for a lock. */
const waits = (pid: number) =>
  expect
    .poll(
      async () => {
        const waiting = "SELECT 1 FROM pg_locks WHERE pid = $1 AND NOT granted";
        return (await pool().query(waiting, [pid])).rowCount;
      },
      { interval: 5 },
    )
    .toBeGreaterThan(0);

const create = (tenant: TestTenant) =>
  call(tenant, "POST", "/conversations", { channelId: "web" }).then(({ status }) => status);

async function createTen(tenant: TestTenant): Promise<number[]> {
  const statuses: number[] = [];
  for (let turn = 0; turn < 10; turn++) statuses.push(await create(tenant));
  return statuses;
}

const tenCreated = Array(10).fill(201);

const countTriggers = async ({ tenantId }: TestTenant) => {
  const counted = "SELECT count(*)::int AS count FROM pg_trigger WHERE starts_with(tgname, $1)";
  const { rows } = await pool().query<{ count: number }>(counted, [nameOf(tenantId)]);
  return rows[0]?.count ?? 0;
};

test("everybody writes while a move waits for a table that a long transaction changes", async () => {
  const [moving, other] = [await newTenant(), await newTenant()];
  const { client: long } = await connect();
  await long.query("BEGIN");
  await long.query("LOCK TABLE conversations IN ROW EXCLUSIVE MODE");
  const { client: command, pid } = await connect();
  const created = createGuards(command, moving.tenantId);
  await waits(pid);

  expect(await createTen(other)).toEqual(tenCreated);
  expect(await createTen(moving)).toEqual(tenCreated);
  await long.query("COMMIT");
  await created;
  expect(await countTriggers(moving)).toBeGreaterThan(0);
});

test("everybody reads and writes while the end of a move waits for a table that a backup reads", async () => {
  const [moving, other] = [await newTenant(), await newTenant()];
  const { client: command, pid } = await connect();
  await createGuards(command, moving.tenantId);
  const { client: backup } = await connect();
  await backup.query("BEGIN");
  await backup.query("SELECT count(*) FROM conversations");
  const dropped = dropGuards(command, moving.tenantId);
  await waits(pid);

  expect(await createTen(other)).toEqual(tenCreated);
  expect((await call(other, "GET", "/conversations")).status).toBe(200);
  await backup.query("COMMIT");
  await dropped;
  expect(await countTriggers(moving)).toBe(0);
});

test("everybody writes while the stop of writes waits for a long transaction of the organization", async () => {
  const [moving, other] = [await newTenant(), await newTenant()];
  const { body } = await call(moving, "POST", "/conversations", { channelId: "web" });
  const { client: command, pid } = await connect();
  await command.query(
    "INSERT INTO tenant_moves (tenant_id, state, target_origin) VALUES ($1, 'COPYING', 'https://b.example.com')",
    [moving.tenantId],
  );
  await createGuards(command, moving.tenantId);
  const { client: long } = await connect();
  await long.query("BEGIN");
  await long.query("UPDATE conversations SET subject = 'Long' WHERE tenant_id = $1 AND id = $2", [
    moving.tenantId,
    body.id,
  ]);
  const stopped = changeState(command, moving.tenantId, "STOPPED", { stoppedForMs: 3_600_000 });
  await waits(pid);

  // More at a time than there are connections, which would all wait behind the command.
  const many = await Promise.all(Array.from({ length: 20 }, () => create(moving)));
  expect(new Set(many)).toEqual(new Set([201]));
  expect(await createTen(other)).toEqual(tenCreated);
  await long.query("COMMIT");
  await stopped;
  expect(await create(moving)).toBe(503);
  expect(await create(other)).toBe(201);
});
