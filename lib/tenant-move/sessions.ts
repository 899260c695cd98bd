import pg from "pg";

/** Both databases of a move, each with a session in which the tables' triggers do not run. */
export type Sessions = { source: pg.Client; target: pg.Client };

const quote = pg.escapeLiteral;

/** One of the two databases cannot be reached. The message says which one. */
export class DatabaseMissing extends Error {}

/**
 * @throws Error if the role cannot do without triggers, which takes a superuser or
 * `GRANT SET ON PARAMETER session_replication_role`
 */
export async function openSession(connectionString: string, what: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: "parlance tenant move",
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new DatabaseMissing(`The ${what} cannot be reached: ${(error as Error).message}`);
  }
  try {
    await client.query("SET statement_timeout = 0");
    await client.query("SET idle_in_transaction_session_timeout = 0");
    await client.query("SET session_replication_role = replica");
    // An autovacuum that has a lock gives it up when another session has waited for this long, which
    // must be less than the lock timeouts of guard.ts. Without the right to set it, it takes longer.
    await client.query("SET deadlock_timeout = '50ms'").catch(() => {});
    return client;
  } catch (error) {
    await client.end();
    throw new Error(
      `The role of the ${what} cannot move an organization: ${(error as Error).message}. Use the owner of the tables, as a superuser.`,
    );
  }
}

/** Runs the statements in one transaction. */
export async function inTransaction<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query("BEGIN");
  try {
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** The only row of a statement. */
export async function readRow<Row extends object>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(text, values);
  return rows[0];
}

/** The name of what a move creates, in both databases. */
export const nameOf = (tenantId: string) => `parlance_move_${tenantId.toLowerCase()}`;

export { quote };
