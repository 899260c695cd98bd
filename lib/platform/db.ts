import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Prisma, PrismaClient } from "@/prisma/generated/client";
import { connectionBudget, type ProcessRole } from "./connection-budget";
import { env } from "./env";
import { logOf } from "./log";
import { prepareSession } from "./prepare-session";
import { responseTypes } from "./response-types";
import type { Query } from "./sql";
import { encodeTextArray } from "./text-array";
import { tracer, traceStatements } from "./tracing";
import { destroyConnection, watchConnection } from "./watch-connection";

const log = logOf("database");

export type { Prisma } from "@/prisma/generated/client";

/** The client itself, or the transaction that a mutation runs in. */
export type Db = Prisma.TransactionClient;

/** How long a statement may wait for a locked row, most often an idempotency record. */
export const lockTimeoutMs = 5_000;
/**
 * The limit for a transaction that waits for its client. A process that hangs must not delay the
 * event feed, which ends before the oldest open transaction.
 */
const idleTransactionTimeoutMs = 20_000;
/**
 * Added to the statement timeout, which PostgreSQL enforces: a connection that is silent for longer
 * is broken.
 */
const deadlineMarginMs = 1_000;
/** How long a request waits for a connection while all of them are in use. */
const poolTimeoutMs = 5_000;

type Connections = {
  pool: pg.Pool;
  /**
   * The client is created when it is first needed, because some processes do not need it. A
   * function creates it, so that the bundle that created the pool also creates the client: Prisma
   * accepts no other bundle's pool.
   */
  prisma: () => PrismaClient;
  madePrisma: PrismaClient | undefined;
  checkedOut: Map<pg.PoolClient, number>;
};

let processSettings: Record<string, string> | undefined;

/**
 * PostgreSQL settings for all connections of this process, which then bypass a connection pooler if
 * a direct address is configured. Call this before the first connection is opened.
 */
export function setConnectionSettings(settings: Record<string, string>): void {
  processSettings = settings;
}

const poolSize = () => env().DATABASE_POOL_SIZE ?? connectionBudget[processRole].pool;

// Kept on globalThis, because one process can load this module twice: the API server's bundle and
// Next's, or Next's own reloads in development. They share one pool.
const shared = globalThis as { parlanceConnections?: Connections };

/** For work that takes milliseconds on a healthy database: opening a connection, a heartbeat. */
export const connectTimeoutMs = () => Math.min(3_000, env().DATABASE_STATEMENT_TIMEOUT_MS);

/**
 * The options of a new connection. A direct one bypasses a connection pooler to get its own
 * session.
 */
export function connectionOptions({ isDirect }: { isDirect: boolean }): pg.ClientConfig {
  const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL } = env();
  return {
    connectionString: isDirect ? DATABASE_DIRECT_URL : DATABASE_URL,
    connectionTimeoutMillis: connectTimeoutMs(),
    keepAlive: true,
    keepAliveInitialDelayMillis: 1_000,
  };
}

/**
 * A pool has one timeout for waiting for a connection and for opening one. These are separate
 * timeouts.
 */
class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectTimeoutMs() });
  }
}

function connect(): Connections {
  const { DATABASE_POOL_SIZE, DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs } = env();
  const settings = {
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    jit: "off",
    // If a statement waited for a row lock, PostgreSQL 18 may choose its partitions with memory that
    // it has already freed. It then crashes, or finds no rows.
    enable_partition_pruning: "off",
    // Times then have the format that response-types.ts converts without parsing.
    timezone: "UTC",
  };
  const pool = new pg.Pool({
    ...connectionOptions({ isDirect: processSettings !== undefined }),
    Client: PooledClient,
    max: DATABASE_POOL_SIZE,
    connectionTimeoutMillis: poolTimeoutMs,
    onConnect: (client) => {
      client.once("end", watchConnection(client, statementTimeoutMs + deadlineMarginMs));
      return prepareSession(client, { settings, ownSettings: processSettings ?? {} });
    },
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on("error", (error) =>
    log.warn({ error: error.message }, "a database connection broke while idle"),
  );
  const tracing = tracer();
  if (tracing) traceStatements(pool, tracing);
  const checkedOut = new Map<pg.PoolClient, number>();
  pool.on("acquire", (client) => checkedOut.set(client, performance.now()));
  pool.on("release", (_error, client) => checkedOut.delete(client));

  const made: Connections = {
    pool,
    prisma: () => {
      made.madePrisma ??= prismaClient(pool);
      return made.madePrisma;
    },
    madePrisma: undefined,
    checkedOut,
  };
  return made;
}

function prismaClient(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, {
      statementNameGenerator: ({ sql }) => statementName("prisma", sql),
    }),
    transactionOptions: { maxWait: 5_000, timeout: 15_000 },
  });
}

function connections(): Connections {
  shared.parlanceConnections ??= connect();
  return shared.parlanceConnections;
}

export const db = (): PrismaClient => connections().prisma();
export const pool = (): pg.Pool => connections().pool;

/**
 * Runs a hand-written statement, prepared under its name, on the pool that Prisma also uses. It
 * runs in the transaction of `caller`, or else in its own.
 */
export async function runSql<Row extends object>(
  query: Query,
  caller?: { db: Db },
): Promise<Row[]> {
  if (caller) return caller.db.$queryRawUnsafe<Row[]>(query.text, ...query.values);
  const result = await pool().query<Row>(prepared(query));
  return result.rows;
}

/**
 * Runs a hand-written statement, outside any transaction, for rows that go into a response. Their
 * times are text in the API's format, because creating `Date` objects and formatting them again
 * would be most of the cost of a list.
 */
export async function readSql<Row extends object>(query: Query): Promise<Row[]> {
  const result = await pool().query<Row>({ ...prepared(query), types: responseTypes });
  return result.rows;
}

function prepared({ name, text, values, textArrays = [] }: Query) {
  const sent = textArrays.length > 0 ? [...values] : values;
  for (const index of textArrays) {
    const array = values[index] as (string | null)[] | null;
    if (array) sent[index] = encodeTextArray(array);
  }
  return { ...(name && { name: statementName(name, text) }), text, values: sent };
}

/** How long all connections have been in use without interruption; 0 while one is free. */
export function poolStuckMs(): number {
  const open = shared.parlanceConnections;
  if (!open || open.checkedOut.size < (open.pool.options.max ?? 0)) return 0;
  return performance.now() - Math.max(...open.checkedOut.values());
}

/** Waits for running statements, then closes every connection. */
export async function closeDatabase(): Promise<void> {
  const open = shared.parlanceConnections;
  shared.parlanceConnections = undefined;
  await open?.madePrisma?.$disconnect();
  if (open && !open.pool.ended) await open.pool.end();
}

const statementNames = new Map<string, string>();
const maximumStatementNames = 1_000;

/**
 * A name for a statement, so that PostgreSQL plans it once per connection. It includes a digest of
 * the text, so that it means the same for every process and version that may share a session.
 * Beyond the limit, statements have no names.
 */
function statementName(prefix: string, text: string): string {
  const known = statementNames.get(text);
  if (known) return known;
  if (statementNames.size >= maximumStatementNames) return "";
  // PostgreSQL cuts names at 63 bytes.
  const name = `${prefix.slice(0, 40)}_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
  statementNames.set(text, name);
  return name;
}
