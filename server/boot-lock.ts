import pg from "pg";

const lockKey = 7_140_022;

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
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [lockKey]);
    return await work();
  } finally {
    await client.end();
  }
}
