import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Prisma, PrismaClient } from "@/prisma/generated/client";
import { connectionBudget, keptConnections, type ProcessRole } from "./connection-budget";
import { databaseWaits } from "./database-waits";
import { endOfTurn } from "./end-of-turn";
import { env } from "./env";
import { logOf } from "./log";
import { prepareSession } from "./prepare-session";
import { PreparedQuery } from "./prepared-query";
import { responseTypes } from "./response-types";
import type { Query } from "./sql";
import { readOnlyState } from "./sql-errors";
import { encodeTextArray } from "./text-array";
import { tracer, traceStatements } from "./tracing";
import { destroyConnection, watchConnection } from "./watch-connection";

const log = logOf("database");

export type { Prisma } from "@/prisma/generated/client";

/** What Prisma takes for a JSON column that is null. A plain null could also mean the JSON value. */
export const nullColumn = Prisma.DbNull;

/** The client itself, or the transaction that a mutation runs in. */
export type Db = Prisma.TransactionClient;

/**
 * Added to the statement timeout, which PostgreSQL enforces: a connection that is silent for longer
 * is broken.
 */
const deadlineMarginMs = 1_000;
/** For the connection that polls the replica's position. */
const pollDeadlineMs = 1_500;

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

let processRole: ProcessRole = "web";
let processSettings: Record<string, string> | undefined;

/**
 * What this process is, unless it is a web process, and PostgreSQL settings for all of its
 * connections, which then bypass a connection pooler if a direct address is configured. Call this
 * before the first connection is opened.
 */
export function setProcessRole(role: ProcessRole, settings?: Record<string, string>): void {
  processRole = role;
  processSettings = settings;
}

/** How many connections the pool of this process opens at most. */
export const poolSize = (): number =>
  env().DATABASE_POOL_SIZE ?? connectionBudget[processRole].pool;

// Kept on globalThis, because one process can load this module twice: the API server's bundle and
// Next's, or Next's own reloads in development. They share one pool.
const shared = globalThis as {
  parlanceConnections?: Connections;
  parlanceDeliveryConnections?: Connections;
  parlanceReplicaConnections?: { reads: Connections; polls: Connections };
};

export const connectTimeoutMs = () =>
  Math.min(databaseWaits.newConnection, env().DATABASE_STATEMENT_TIMEOUT_MS);

/**
 * The options of a new connection. A direct one bypasses a connection pooler to get its own
 * session.
 */
export function connectionOptions({ isDirect }: { isDirect: boolean }): pg.ClientConfig {
  const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL } = env();
  return optionsOf(isDirect ? DATABASE_DIRECT_URL : DATABASE_URL);
}

function optionsOf(connectionString: string): pg.ClientConfig {
  return {
    connectionString,
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

type Target = {
  options: pg.ClientConfig;
  max: number;
  server: "primary" | "replica";
  setting: "DATABASE_URL" | "DATABASE_DIRECT_URL" | "DATABASE_REPLICA_URL";
  /** Settings of this process only. */
  ownSettings: Record<string, string>;
  /** How long a connection may be silent while it executes a statement. */
  deadlineMs: number;
};

function connect({ options, max, server, setting, ownSettings, deadlineMs }: Target): Connections {
  const { DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs, DATABASE_DIRECT_URL } = env();
  const isPoolerExpected = setting === "DATABASE_URL" && DATABASE_DIRECT_URL !== undefined;
  const settings = {
    application_name: `parlance ${processRole}`,
    lock_timeout: databaseWaits.lock,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: databaseWaits.idleTransaction,
    jit: "off",
    // If a statement waited for a row lock, PostgreSQL 18 may choose its partitions with memory that
    // it has already freed. It then crashes, or finds no rows.
    enable_partition_pruning: "off",
    // Times then have the format that response-types.ts converts without parsing.
    timezone: "UTC",
  };
  const pool = new pg.Pool({
    ...options,
    Client: PooledClient,
    max,
    min: keptConnections,
    connectionTimeoutMillis: databaseWaits.freeConnection,
    onConnect: (client) => {
      // The pool stops listening when it hands a connection out, and Prisma starts a moment later.
      // An error in between, which may be in the packet that ended the statement before, would end
      // the process. The next statement of such a connection fails, and the pool removes it.
      client.on("error", () => {});
      client.once("end", watchConnection(client, deadlineMs, server));
      if (server === "primary") discardIfReadOnly(client);
      return prepareSession(client, { settings, ownSettings, setting, isPoolerExpected });
    },
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on("error", (error) =>
    log.warn({ error: error.message, server }, "a database connection broke while idle"),
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

/**
 * During a failover, a connection can lead to a replica that is not promoted, or to the old primary
 * that no longer accepts writes. The next connection may lead to the new primary.
 */
function discardIfReadOnly(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
  connection.on("errorMessage", ({ code }: { code: string }) => {
    if (code === readOnlyState) destroyConnection(client);
  });
}

function prismaClient(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, {
      statementNameGenerator: ({ sql }) => statementName("prisma", sql),
    }),
    transactionOptions: {
      maxWait: databaseWaits.freeConnection,
      timeout: databaseWaits.transaction,
    },
  });
}

const statementDeadlineMs = () => env().DATABASE_STATEMENT_TIMEOUT_MS + deadlineMarginMs;

function connectToPrimary(max: number): Connections {
  const isDirect = processSettings !== undefined;
  return connect({
    options: connectionOptions({ isDirect }),
    max,
    server: "primary",
    setting: isDirect && env().DATABASE_DIRECT_URL ? "DATABASE_DIRECT_URL" : "DATABASE_URL",
    ownSettings: processSettings ?? {},
    deadlineMs: statementDeadlineMs(),
  });
}

function connections(): Connections {
  shared.parlanceConnections ??= connectToPrimary(poolSize());
  return shared.parlanceConnections;
}

export const hasReplica = (): boolean => env().DATABASE_REPLICA_URL !== undefined;

function replicaConnections() {
  const { DATABASE_REPLICA_URL } = env();
  if (!DATABASE_REPLICA_URL) throw new Error("DATABASE_REPLICA_URL is not set");
  const target = {
    options: optionsOf(DATABASE_REPLICA_URL),
    server: "replica",
    setting: "DATABASE_REPLICA_URL",
    ownSettings: {},
  } as const;
  shared.parlanceReplicaConnections ??= {
    reads: connect({ ...target, max: poolSize(), deadlineMs: statementDeadlineMs() }),
    // Its own connection, so that slow reads do not delay it. It also notices first that the replica
    // is silent.
    polls: connect({ ...target, max: 1, deadlineMs: pollDeadlineMs }),
  };
  return shared.parlanceReplicaConnections;
}

/** For reads from the replica. replica.ts decides which ones. */
export const replicaDb = (): PrismaClient => replicaConnections().reads.prisma();
/** For polling the replica's position. */
export const replicaPolls = (): pg.Pool => replicaConnections().polls.pool;

export const db = (): PrismaClient => connections().prisma();
export const pool = (): pg.Pool => connections().pool;

/** Whether a statement on the pool would not have to wait for a connection. */
export function hasFreeConnection(): boolean {
  const { idleCount, totalCount, waitingCount, options } = pool();
  return waitingCount === 0 && (idleCount > 0 || totalCount < (options.max ?? 0));
}

/**
 * For claiming deliveries and recording attempts. PostgreSQL plans these statements again on each
 * connection, and a claim takes several times as long to plan as to execute. In a worker, they have
 * connections of their own, so that few connections plan them, and jobs that use up the pool do not
 * hold them up.
 */
export function deliveryPool(): pg.Pool {
  const { delivering } = connectionBudget[processRole];
  if (delivering === 0) return pool();
  shared.parlanceDeliveryConnections ??= connectToPrimary(delivering);
  return shared.parlanceDeliveryConnections.pool;
}

/**
 * Runs a hand-written statement, prepared under its name, on the pool that Prisma also uses. It
 * runs in the transaction of `caller`, or else in its own.
 */
export async function runSql<Row extends object>(
  query: Query,
  caller?: { db: Db },
): Promise<Row[]> {
  if (caller) return caller.db.$queryRawUnsafe<Row[]>(query.text, ...query.values);
  return rowsOf<Row>(pool(), query);
}

/** The same for a statement that is put together at the last moment, when there is a connection. */
export async function runSqlOnceConnected(query: () => Query): Promise<void> {
  const client = await pool().connect();
  let failure: Error | undefined;
  try {
    const sent = toSubmit(query());
    await new Promise<void>((resolve, reject) => {
      client.query(sent, (error: Error | null) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // Like the pool, which does not use a connection again after an error.
    client.release(failure);
  }
}

/**
 * Runs a hand-written statement that only reads, outside any transaction, where the caller reads:
 * from the primary or from a replica.
 */
export async function readRows<Row extends object>(
  query: Query,
  caller: { db: Db },
): Promise<Row[]> {
  await endOfTurn();
  return rowsOf<Row>(poolOf(caller), query);
}

/**
 * The same, for rows that go into a response. Their times are text in the API's format, because
 * creating `Date` objects and formatting them again would be most of the cost of a list.
 */
export async function readSql<Row extends object>(
  query: Query,
  caller: { db: Db },
): Promise<Row[]> {
  await endOfTurn();
  return rowsOf<Row>(poolOf(caller), query, responseTypes);
}

/** Where the caller reads: the pool of a replica or, also without a caller, of the primary. */
export function poolOf(caller?: { db: Db }): pg.Pool {
  const replica = shared.parlanceReplicaConnections?.reads;
  return replica && caller?.db === replica.madePrisma ? replica.pool : pool();
}

/** Runs a hand-written statement, prepared under its name, in a transaction of its own. */
export async function rowsOf<Row extends object>(
  target: pg.Pool,
  query: Query,
  types?: pg.CustomTypesConfig,
): Promise<Row[]> {
  // As a submittable query, its result has no type.
  const { rows } = (await target.query(toSubmit(query, types))) as pg.QueryResult<Row>;
  return rows;
}

function toSubmit(
  { name: prefix, text, values, textArrays = [] }: Query,
  types?: pg.CustomTypesConfig,
): pg.QueryConfig {
  const sent = textArrays.length > 0 ? [...values] : values;
  for (const index of textArrays) {
    const array = values[index] as (string | null)[] | null;
    if (array) sent[index] = encodeTextArray(array);
  }
  const name = prefix && statementName(prefix, text);
  const query = name
    ? new PreparedQuery({ name, text, values: sent, types })
    : { text, values: sent, types };
  return query as pg.QueryConfig;
}

/** The connections of this process to the primary, without those that listen for notifications. */
export function poolState() {
  const { parlanceConnections, parlanceDeliveryConnections } = shared;
  const pools = [parlanceConnections, parlanceDeliveryConnections].flatMap(
    (open) => open?.pool ?? [],
  );
  const sum = (of: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + of(pool), 0);
  const idle = sum((pool) => pool.idleCount);
  return {
    inUse: sum((pool) => pool.totalCount) - idle,
    idle,
    waiting: sum((pool) => pool.waitingCount),
    max: poolSize() + connectionBudget[processRole].delivering,
  };
}

/** How long all connections have been in use without interruption; 0 while one is free. */
export function poolStuckMs(): number {
  const open = shared.parlanceConnections;
  if (!open || open.checkedOut.size < (open.pool.options.max ?? 0)) return 0;
  return performance.now() - Math.max(...open.checkedOut.values());
}

/** Waits for running statements, then closes every connection. */
export async function closeDatabase(): Promise<void> {
  const {
    parlanceConnections: primary,
    parlanceDeliveryConnections: deliveries,
    parlanceReplicaConnections: replica,
  } = shared;
  shared.parlanceConnections = undefined;
  shared.parlanceDeliveryConnections = undefined;
  shared.parlanceReplicaConnections = undefined;
  await Promise.all([primary, deliveries, replica?.reads, replica?.polls].map(close));
}

async function close(open: Connections | undefined): Promise<void> {
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
