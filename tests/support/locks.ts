import type pg from "pg";

/** How many statements in this database wait for a lock. `client` may be in a transaction. */
export async function countWaiting(client: pg.ClientBase): Promise<number> {
  // A transaction would otherwise see the same activity until its end.
  await client.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows[0]?.count ?? 0;
}

export const hasWaiting = async (client: pg.ClientBase): Promise<boolean> =>
  (await countWaiting(client)) > 0;
