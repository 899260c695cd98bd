import type pg from "pg";

/**
 * How many statements in this database wait for a lock. `client` may be in a transaction.
 * @param like a pattern of their texts
 */
export async function countWaiting(client: pg.ClientBase | pg.Pool, like = "%"): Promise<number> {
  // A transaction would otherwise see the same activity until its end.
  await client.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1",
    [like],
  );
  return rows[0]?.count ?? 0;
}

export const hasWaiting = async (
  client: pg.ClientBase | pg.Pool,
  like?: string,
): Promise<boolean> => (await countWaiting(client, like)) > 0;

/** Whether the promise has settled. */
export function watch(work: Promise<unknown>) {
  const state = { hasSettled: false };
  const note = () => {
    state.hasSettled = true;
  };
  work.then(note, note);
  return state;
}
