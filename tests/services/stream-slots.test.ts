import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { type Slot, type SlotOwner, takeSlot } from "@/lib/platform/stream-slots";
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
