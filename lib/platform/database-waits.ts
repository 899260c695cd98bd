/**
 * How long this process waits for the database, in milliseconds. Tests lengthen these before the
 * first connection, so that a machine that stalls for some seconds fails none of them.
 */
export const databaseWaits = {
  /** For a row that another transaction has locked, most often an idempotency record. */
  lock: 5_000,
  /** The same, for a statement that works for many organizations. */
  sharedLock: 250,
  /** For a statement that requests share. Later ones then no longer wait for it. */
  slowStatement: 100,
  /** For a connection while all of them are in use. */
  freeConnection: 5_000,
  /** For what takes milliseconds on a healthy database: opening a connection, a heartbeat. */
  newConnection: 3_000,
  /** For the end of a transaction that Prisma runs. */
  transaction: 15_000,
  /**
   * How long PostgreSQL waits for this process in a transaction. A process that hangs must not delay
   * the event feed, which ends before the oldest open transaction.
   */
  idleTransaction: 20_000,
};
