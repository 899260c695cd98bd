import pg from "pg";

const lockKey = 7_140_022;

/**
 * Runs `work` while no other start on the same database does. The lock belongs to a transaction and
 * not to a session, so it also holds behind a pooler.
 */
export async function withBootLock<Result>(
  databaseUrl: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A connection that breaks shows itself by the failure of what follows.
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
