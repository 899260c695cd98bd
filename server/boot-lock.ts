import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const lockKey = 7_140_022;
const retryMs = 250;

/**
 * Runs `work` while no other process boots on the same database. The lock belongs to a transaction,
 * not a session, so it also works behind a pooler.
 */
export async function withBootLock<Result>(
  databaseUrl: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A broken connection makes the next statement fail.
  client.on("error", () => {});
  await client.connect();
  try {
    // A statement that waited for the lock would have a snapshot, and CREATE INDEX CONCURRENTLY in
    // the process that has the lock would wait for that: neither would ever end.
    while (!(await tryLock(client))) await sleep(retryMs);
    return await work();
  } finally {
    await client.end();
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  await client.query("BEGIN");
  // Without a parameter: the portal of a statement with parameters keeps its snapshot until the next
  // statement.
  const { rows } = await client.query<{ isLocked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${lockKey}) AS "isLocked"`,
  );
  if (rows[0]?.isLocked) return true;
  await client.query("ROLLBACK");
  return false;
}
