import { setTimeout as sleep } from "node:timers/promises";
import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import type pg from "pg";
import { splitStatements } from "./split-statements";

/**
 * The first line of a migration whose statements run one by one, because PostgreSQL refuses some of
 * them in a transaction (CREATE INDEX CONCURRENTLY) and others would hold locks for too long
 * (backfills). Each statement must be harmless when it runs again.
 */
export const withoutTransaction = "-- without a transaction";
/** Before a statement: it changes a batch of rows, and runs until it changes none. */
export const inBatches = "-- in batches";

/**
 * While a statement waits for a lock, every later statement on the table waits behind it. So it gives
 * up quickly and tries again.
 */
export const lockTimeoutMs = 2_000;
const lockPauseMs = 1_000;
const lockAttempts = 60;
const lockNotAvailable = "55P03";

/**
 * Prisma's engine marks a migration as finished only after its commit. In the same transaction, a
 * crash in between cannot leave an applied migration that counts as failed.
 */
const markFinished =
  "UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL";

/**
 * Runs a migration next to running processes: as one transaction, unless it says otherwise.
 * @throws DriverAdapterError, which the engine reports
 */
export async function runMigration(pool: pg.Pool, script: string): Promise<void> {
  const client = await pool.connect();
  const isOneByOne = script.startsWith(withoutTransaction);
  try {
    if (isOneByOne) await runOneByOne(client, script);
    else
      await untilLocked(() =>
        client.query(`${settings("SET LOCAL")};\n${script};\n${markFinished}`),
      );
  } catch (error) {
    throw new DriverAdapterError(detailsOf(error as pg.DatabaseError));
  } finally {
    // A new connection for each migration takes a third of a first start's migration time. Only one
    // whose settings outlive the migration is not used again.
    client.release(isOneByOne);
  }
}

const settings = (set: "SET" | "SET LOCAL") =>
  `${set} lock_timeout = ${lockTimeoutMs}; ${set} statement_timeout = 0`;

/**
 * After a lock timeout, it starts again with the first statement. CREATE INDEX CONCURRENTLY then
 * leaves an invalid index, which the statement before it drops.
 */
async function runOneByOne(client: pg.PoolClient, script: string): Promise<void> {
  await client.query(settings("SET"));
  await untilLocked(async () => {
    for (const statement of splitStatements(script)) {
      const isBatch = statement.includes(inBatches);
      for (;;) {
        const { rowCount } = await client.query(statement);
        if (!isBatch || !rowCount) break;
      }
    }
  });
  await client.query(markFinished);
}

async function untilLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if ((error as pg.DatabaseError).code !== lockNotAvailable || attempt === lockAttempts)
        throw error;
      await sleep(lockPauseMs);
    }
  }
}

const detailsOf = ({
  code = "",
  severity = "ERROR",
  message,
  detail,
  column,
  hint,
}: pg.DatabaseError) => ({
  kind: "postgres" as const,
  code,
  severity,
  message,
  detail,
  column,
  hint,
});
