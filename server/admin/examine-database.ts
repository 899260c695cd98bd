import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import pg from "pg";
import { connectionBudget } from "@/lib/platform/connection-budget";
import type { Env } from "@/lib/platform/env";
import { isPooled } from "@/lib/platform/prepare-session";
import { tlsProblem } from "@/lib/platform/sql-errors";
import { locksOfProcess } from "@/lib/platform/stream-slots";
import { pendingMigrations, schemaFile } from "@/prisma/migrate";
import { describeDatabaseError } from "../database-advice";
import type { Finding } from "./doctor";

const networkTimeoutMs = 5_000;

/** Receivers reject signatures that are off by more than five minutes. */
const tolerableSkewSeconds = 30;

type Facts = {
  version: string;
  pid: number;
  atMs: number;
  isReadOnly: boolean;
  missingTables: string[];
};

const factsText = `
  SELECT current_setting('server_version') AS version, pg_backend_pid() AS pid,
    extract(epoch FROM clock_timestamp())::float8 * 1000 AS "atMs",
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    ARRAY(SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NULL) AS "missingTables"`;

/** Checks the database, its tables, and whether a pooler prevents what needs a session. */
export async function examineDatabase({
  DATABASE_URL,
  DATABASE_DIRECT_URL = DATABASE_URL,
  DATABASE_POOL_SIZE,
}: Env): Promise<Finding[]> {
  const { host, pathname } = new URL(DATABASE_URL);
  const place = host + pathname;
  try {
    return await withClient(DATABASE_URL, async (client) => {
      const { rows } = await client.query<Facts>(factsText, [tableNames()]);
      const facts = rows[0] as Facts;
      const clock = examineClock(facts.atMs, Date.now());
      const pending = await pendingMigrations(DATABASE_DIRECT_URL);
      return [
        facts.isReadOnly
          ? {
              subject: "database",
              problem: `${place} is read-only. Set DATABASE_URL to the primary, or make this database writable`,
            }
          : { subject: "database", fact: `PostgreSQL ${facts.version} at ${place}` },
        examineTables(pending, facts.missingTables),
        ...(await examineConnections(DATABASE_DIRECT_URL, {
          isPooled: isPooled(client, facts.pid),
          DATABASE_POOL_SIZE,
        })),
        await examineNotifications(DATABASE_URL, DATABASE_DIRECT_URL, isPooled(client, facts.pid)),
        clock,
      ];
    });
  } catch (error) {
    return [
      { subject: "database", problem: `${place} ${describeDatabaseError(error, DATABASE_URL)}` },
    ];
  }
}

/** Whether this machine and PostgreSQL's agree on the time. */
export function examineClock(databaseMs: number, ownMs: number): Finding {
  const subject = "clock";
  const skewSeconds = Math.round((ownMs - databaseMs) / 1_000);
  if (Math.abs(skewSeconds) <= tolerableSkewSeconds)
    return { subject, fact: "agrees with PostgreSQL's" };
  const direction = skewSeconds > 0 ? "ahead of" : "behind";
  return {
    subject,
    problem: `this machine's clock is ${Math.abs(skewSeconds)} s ${direction} PostgreSQL's. Signatures, retries and sessions depend on it: synchronize both machines, for example with chrony`,
  };
}

type ReplicaFacts = { isReplica: boolean; replayed: number; system: string };

/** Checks that it is a replica of this database, and how far it is behind. */
export async function examineReplica({
  DATABASE_URL,
  DATABASE_REPLICA_URL,
  UPSTASH_REDIS_REST_URL,
}: Env): Promise<Finding[]> {
  if (!DATABASE_REPLICA_URL) return [];
  const subject = "replica";
  const { host, pathname } = new URL(DATABASE_REPLICA_URL);
  const place = host + pathname;
  const systemText = "SELECT system_identifier::text AS system FROM pg_control_system()";
  try {
    const position = await withClient(DATABASE_URL, (client) =>
      client.query<{ flushed: number; system: string }>(
        `SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 AS flushed, (${systemText})`,
      ),
    );
    const found = await withClient(DATABASE_REPLICA_URL, (client) =>
      client.query<ReplicaFacts>(
        `SELECT pg_is_in_recovery() AS "isReplica", (${systemText}),
           pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 AS replayed`,
      ),
    );
    const [primary, replica] = [position.rows[0], found.rows[0]];
    if (!primary || !replica?.isReplica || replica.system !== primary.system)
      return [
        {
          subject,
          problem: `${place} is not a streaming replica of DATABASE_URL, so every read goes to the primary. Correct DATABASE_REPLICA_URL, or unset it`,
        },
      ];
    const behind = Math.max(0, primary.flushed - replica.replayed);
    const scope = UPSTASH_REDIS_REST_URL
      ? "every process knows what each key wrote"
      : "each web process knows only what keys wrote through it; with several, configure Upstash";
    return [{ subject, fact: `${behind} bytes behind at ${place}; ${scope}` }];
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    const reason = tlsProblem(error) ?? `${message || code}`;
    return [
      {
        subject,
        problem: `${place} cannot be used (${reason}), so every read goes to the primary. Start it, or correct DATABASE_REPLICA_URL`,
      },
    ];
  }
}

function examineTables(pending: string[], missing: string[]): Finding {
  const subject = "migrations";
  const [first, ...others] = pending;
  if (first) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return {
      subject,
      problem: `not applied: ${first}${more}. Apply them with \`npm run admin -- migrate\``,
    };
  }
  if (missing.length === 0) return { subject, fact: "all applied" };
  return {
    subject,
    problem: `all applied, but these tables are missing: ${missing.join(", ")}. Restore the database from a backup`,
  };
}

type Connections = {
  available: number;
  open: number;
  webs: number;
  workers: number;
  /** For each of so many connections, PostgreSQL's table of locks has room for so many. */
  lockSets: number;
  locksPerSet: number;
};

/** Each web process listens for revoked keys, each worker with the embedded clock for wake-ups. */
const connectionsText = `
  SELECT least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
      (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
    ) AS available,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS open,
    (SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'parlance keys' AND datname = current_database()) AS webs,
    (SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'parlance wake-up' AND datname = current_database()) AS workers,
    current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int AS "lockSets",
    current_setting('max_locks_per_transaction')::int AS "locksPerSet"`;

/**
 * Whether the processes that run now can open all the connections of their budgets. Requests of web
 * processes may go through a pooler, which has a budget of its own.
 */
async function examineConnections(
  url: string,
  { isPooled, DATABASE_POOL_SIZE }: { isPooled: boolean; DATABASE_POOL_SIZE: number | undefined },
): Promise<Finding[]> {
  const subject = "connections";
  const { web, worker, admin } = connectionBudget;
  const perWeb = web.listening + (isPooled ? 0 : (DATABASE_POOL_SIZE ?? web.pool));
  const perWorker = worker.listening + worker.delivering + (DATABASE_POOL_SIZE ?? worker.pool);
  const { rows } = await withClient(url, (client) => client.query<Connections>(connectionsText));
  const connections = rows[0] as Connections;
  const { available, open, webs, workers } = connections;
  const need = webs * perWeb + workers * perWorker + (DATABASE_POOL_SIZE ?? admin.pool);
  const budget = `${webs} web (up to ${perWeb} each), ${workers} ${workers === 1 ? "worker" : "workers"} (up to ${perWorker} each) and a command need ${need}`;
  const locks = examineLocks(connections, DATABASE_POOL_SIZE ?? web.pool);
  if (need <= available)
    return [{ subject, fact: `${budget} of ${available}; ${open} are open now` }, locks];
  const problem = `${budget}, but PostgreSQL allows ${available}. Lower DATABASE_POOL_SIZE, raise max_connections, or put a connection pooler in front of web`;
  return [{ subject, problem }, locks];
}

/** All web processes must leave some of the locks to everything else. */
const largestShareOfWeb = 0.8;

function examineLocks({ webs, lockSets, locksPerSet }: Connections, poolSize: number): Finding {
  const subject = "locks";
  const need = webs * locksOfProcess(poolSize);
  const budget = `the event streams and idempotency keys of ${webs} web need up to ${need}`;
  const available = lockSets * locksPerSet;
  if (need <= largestShareOfWeb * available) return { subject, fact: `${budget} of ${available}` };
  const sufficient = Math.ceil(need / largestShareOfWeb / lockSets);
  return {
    subject,
    problem: `${budget}, but PostgreSQL has ${available} for everything. Raise max_locks_per_transaction to ${sufficient} or more`,
  };
}

/** Sends a notification the same way as the worker's wake-ups. */
async function examineNotifications(
  url: string,
  directUrl: string,
  isBehindPooler: boolean,
): Promise<Finding> {
  const subject = "notifications";
  const pooler = isBehindPooler ? "through a connection pooler" : "without a connection pooler";
  const doesArrive = await withClient(directUrl, async (listener) => {
    const channel = `parlance_doctor_${randomBytes(8).toString("hex")}`;
    const arrived = new Promise<boolean>((resolve) => {
      listener.once("notification", () => resolve(true));
      setTimeout(() => resolve(false), networkTimeoutMs).unref();
    });
    await listener.query(`LISTEN ${channel}`);
    // Two concurrent sessions, so that a pooler cannot use the listening one.
    await withClient(directUrl, async (other) => {
      await other.query("BEGIN");
      await withClient(url, (sender) => sender.query(`NOTIFY ${channel}`));
      await other.query("ROLLBACK");
    });
    return arrived;
  });
  if (doesArrive) return { subject, fact: `arrive; requests reach the database ${pooler}` };
  return {
    subject,
    problem: `do not arrive; requests reach the database ${pooler}. Webhooks wait up to a second longer, and settings and prepared statements of a session are lost. Set DATABASE_DIRECT_URL to PostgreSQL's own address, past any pooler in transaction mode`,
  };
}

const tableNames = () =>
  [...readFileSync(schemaFile, "utf8").matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name);

async function withClient<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const timeouts = { connectionTimeoutMillis: networkTimeoutMs, query_timeout: networkTimeoutMs };
  const client = new pg.Client({ connectionString, ...timeouts });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // Not awaited: a silent pooler or network may never confirm it.
    client.end().catch(() => {});
  }
}
