import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connectionBudget } from "@/lib/platform/connection-budget";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { maximumSharedLocks } from "@/lib/platform/join-changes";
import { locksOfProcess, type Slot, type SlotOwner, takeSlot } from "@/lib/platform/stream-slots";
import { startEndingProxy } from "../support/ending-proxy";

let proxy: Awaited<ReturnType<typeof startEndingProxy>>;
const directUrl = env().DATABASE_DIRECT_URL;
const slots: Slot[] = [];

beforeAll(async () => {
  proxy = await startEndingProxy(env().DATABASE_URL);
  // Only the connection of the streams goes through the proxy.
  env().DATABASE_DIRECT_URL = proxy.url;
});
afterEach(() => {
  for (const slot of slots.splice(0)) slot.release();
});
afterAll(() => {
  if (directUrl === undefined) delete env().DATABASE_DIRECT_URL;
  else env().DATABASE_DIRECT_URL = directUrl;
  proxy.close();
});

const ownersOf = (key: string, environment: string): SlotOwner[] => [
  { name: key, limit: 10 },
  { name: environment, limit: 100 },
];

async function take(owners: SlotOwner[]): Promise<Slot> {
  const taken = await takeSlot(owners, () => {});
  if ("full" in taken) throw new Error(`expected a slot of ${taken.full.name}`);
  slots.push(taken.slot);
  return taken.slot;
}

/** Those of the names that some process has locked. */
async function lockedOf(names: string[]): Promise<string[]> {
  const { rows } = await pool().query<{ name: string }>(
    "SELECT name FROM unnest($1::text[]) AS name WHERE NOT pg_try_advisory_xact_lock(hashtextextended(name, 0))",
    [names],
  );
  return rows.map(({ name }) => name);
}

test("a stream has all of its locks if the connection ends between them, or is refused", async () => {
  const names = ["stream earlier 1", "stream key 1", "stream environment 1"];
  await take([{ name: "earlier", limit: 1 }]);
  // A notification of the end arrives together with the response of the first lock.
  proxy.endAfter("stream key 1");
  const owners = ownersOf("key", "environment");
  await expect(takeSlot(owners, () => {})).rejects.toMatchObject({ kind: "unavailable" });

  await take(owners);
  expect(await lockedOf(names)).toEqual(names);
  for (const slot of slots.splice(0)) slot.release();
  await expect.poll(() => lockedOf(names)).toEqual([]);
});

test("the shared statements of every kind are among these locks", () => {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" });
  const sources = files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(path.join("lib", name), "utf8"));
  const loads = sources.flatMap((source) =>
    [...source.matchAll(/= joinChanges\(\w+(?:, \{\s*load: "(\w+)")?/g)].map(
      ([, load = "other"]) => load,
    ),
  );
  const changes = loads.map((load) => ({ busy: 32, other: 16 })[load] ?? Number.NaN);
  // Up to three statements of a kind.
  expect(3 * changes.reduce((sum, maximum) => sum + maximum, 0)).toBe(maximumSharedLocks);
});

test("the locks of five web processes leave a fifth of PostgreSQL's default to everything else", () => {
  const { web, worker, admin } = connectionBudget;
  const connections = ({ pool, listening }: typeof web | typeof worker) => pool + listening;
  // The connections that PostgreSQL allows by default.
  expect(5 * connections(web) + 2 * connections(worker) + admin.pool).toBeLessThanOrEqual(97);
  expect(5 * locksOfProcess(web.pool)).toBeLessThanOrEqual(0.8 * 64 * 100);
});

test("a process has at most 300 streams, so they take 600 locks of the database at most", async () => {
  const count = 300;
  for (let index = 0; index < count; index++)
    await take(ownersOf(`key ${Math.floor(index / 10)}`, `environment ${Math.floor(index / 100)}`));
  const locks = async () => {
    const { rows } = await pool().query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND a.application_name = 'parlance streams' AND a.datname = current_database()`,
    );
    return rows[0]?.count;
  };
  // And the one that says that this process has streams.
  expect(await locks()).toBe(601);
  const owners = ownersOf("another key", "another environment");
  await expect(takeSlot(owners, () => {})).rejects.toMatchObject({
    kind: "unavailable",
    headers: { "Retry-After": "5" },
  });
  await expect.poll(locks).toBe(601);
  // What is full for its owner, here or in other processes, is still refused as such.
  const other = new pg.Client({ connectionString: env().DATABASE_URL });
  await other.connect();
  await other.query("SELECT pg_advisory_lock(hashtextextended('stream elsewhere 1', 0))");
  for (const full of [
    { name: "key 0", limit: 10 },
    { name: "elsewhere", limit: 1 },
  ])
    expect(await takeSlot([full], () => {})).toEqual({ full });
  await other.end();

  slots.shift()?.release();
  await take(owners);
  expect(slots).toHaveLength(count);
});
