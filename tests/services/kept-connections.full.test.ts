import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { pool } from "@/lib/platform/db";

test("two idle connections stay open, so that a request after a pause finds its statements prepared", async () => {
  const clients = await Promise.all([pool().connect(), pool().connect(), pool().connect()]);
  for (const client of clients) client.release();
  expect(pool().idleCount).toBe(3);

  await once(pool(), "remove");
  // The timers of the others are due at the same time.
  await nextTurn();
  expect(pool().idleCount).toBe(2);

  const used = await pool().connect();
  used.release();
  expect(clients.slice(1)).toContain(used);
});
