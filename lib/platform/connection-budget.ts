/**
 * How many connections to PostgreSQL one process opens at most: its pool, unless DATABASE_POOL_SIZE
 * gives another size, those that only claim deliveries and record attempts, and those that only listen
 * for notifications. Three web processes, two workers and a command take 69 of the 97 that PostgreSQL
 * allows by default, which leaves room for two more web processes during a rolling deployment.
 */
export const connectionBudget = {
  web: { pool: 12, delivering: 0, listening: 2 },
  worker: { pool: 8, delivering: 2, listening: 1 },
  admin: { pool: 5, delivering: 0, listening: 0 },
} as const;

/**
 * How many of its connections a pool keeps while nothing uses them. Statements are prepared and
 * planned again on a new connection, which takes several times as long as the request itself.
 */
export const keptConnections = 2;

export type ProcessRole = keyof typeof connectionBudget;
