import { once } from "node:events";
import { type HeapProfiler, Session } from "node:inspector/promises";
import { Worker } from "node:worker_threads";
import pg from "pg";
import { inject } from "vitest";
import { flushKeyLastUsed } from "@/lib/api-keys/last-used";
import { pool } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { flushRequestCounts } from "@/lib/usage/count-requests";

// What an operation costs, without a clock: statements as PostgreSQL counts them, rows and index
// entries as they are in its write-ahead log, and objects as V8 samples them.

/** Of one operation, on average. */
export type Cost = {
  /** Those that run each time. A statement shared by many operations does not count. */
  statements: number;
  /** Rows inserted, updated or deleted. */
  rows: number;
  /** Updated rows whose indexes had to be written, too. */
  rowsMoved: number;
  indexEntries: number;
  /**
   * Bytes of the write-ahead log. Images of whole pages depend on checkpoints, and what VACUUM writes
   * on when it comes by, so neither counts.
   */
  logBytes: number;
  /** What the log has for all operations together, by kind and file. */
  log: string[];
  /** JavaScript objects, including those that are collected immediately. */
  objectsKb: number;
};

const samplingInterval = 4_096;

/** PostgreSQL's own tables have lower numbers. Autovacuum writes statistics there at any time. */
const firstOwnFile = 16_384;

export async function costOf(count: number, work: () => Promise<unknown>): Promise<Cost> {
  const observer = new pg.Client({ connectionString: inject("postgres").url });
  await observer.connect();
  const profiler = new Session();
  profiler.connect();
  try {
    await flushBatches();
    const watched = await watch(observer);
    await profiler.post("HeapProfiler.startSampling", {
      samplingInterval,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await work();
    const { profile } = await profiler.post("HeapProfiler.stopSampling");
    await flushBatches();
    const { statements, ...written } = await watched.end(count);
    return { statements, ...written, objectsKb: sizeOf(profile.head) / 1_024 / count };
  } finally {
    profiler.disconnect();
    await observer.end();
  }
}

/**
 * Autovacuum comes by at any time, and writes what was inserted into GIN indexes since its last visit,
 * which looks in the log like insertions of the operation that is being measured.
 */
export async function stopAutovacuum(): Promise<void> {
  const { rows: tables } = await pool().query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of tables)
    await pool().query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
}

async function flushBatches(): Promise<void> {
  await Promise.all([flushRequestLogs(), flushRequestCounts(), flushKeyLastUsed()]);
}

const sizeOf = (node: HeapProfiler.SamplingHeapProfileNode): number =>
  node.children.reduce((sum, child) => sum + sizeOf(child), node.selfSize);

type LogEntry = {
  manager: string;
  type: string;
  filenode: number;
  entries: number;
  bytes: number;
};

/**
 * Observes from another database, so that its own statements do not count. The log names the database
 * of each change, so tests that run at the same time do not count either.
 */
async function watch(observer: pg.Client) {
  await observer.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  await observer.query("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
  const { rows } = await pool().query(
    "SELECT oid::int AS oid FROM pg_database WHERE datname = current_database()",
  );
  const databaseId = rows[0].oid as number;
  // Keeps the log until it is read.
  const slot = `costs_${databaseId}`;
  await observer.query("SELECT pg_create_physical_replication_slot($1, true, true)", [slot]);
  await observer.query("SELECT pg_stat_statements_reset(0, $1::oid, 0)", [databaseId]);
  const { rows: start } = await observer.query("SELECT pg_current_wal_insert_lsn() AS lsn");

  async function end(count: number): Promise<Omit<Cost, "objectsKb">> {
    const { rows: calls } = await observer.query<{ calls: number; query: string }>(
      "SELECT calls::int, query FROM pg_stat_statements WHERE dbid = $1::oid",
      [databaseId],
    );
    if (process.env.SHOW_COSTS) show(calls, count);
    // Tests do not wait until PostgreSQL's log is written. This commit does, for all before it.
    await observer.query("SET synchronous_commit = on");
    await observer.query("SELECT pg_logical_emit_message(true, 'costs', '')");
    const { rows: log } = await observer.query<LogEntry>(
      `SELECT resource_manager AS manager, split_part(record_type, '+', 1) AS type, relfilenode::int AS filenode,
         count(*)::int AS entries, sum(record_length - block_fpi_length)::int AS bytes
       FROM pg_get_wal_block_info($1, pg_current_wal_flush_lsn(), false)
       WHERE reldatabase = $2::oid AND relfilenode >= $3 AND block_id = 0 GROUP BY 1, 2, 3`,
      [start[0].lsn, databaseId, firstOwnFile],
    );
    const sum = (of: "entries" | "bytes", matches: (entry: LogEntry) => boolean) =>
      log.filter(matches).reduce((total, entry) => total + entry[of], 0) / count;
    const isRow = ({ manager, type }: LogEntry) =>
      manager.startsWith("Heap") && /^(INSERT|MULTI_INSERT|UPDATE|HOT_UPDATE|DELETE)$/.test(type);
    return {
      log: log.map(
        ({ manager, type, entries, bytes }) => `${manager} ${type}: ${entries}, ${bytes} bytes`,
      ),
      statements: calls.reduce((total, row) => total + Math.round(row.calls / count), 0),
      rows: sum("entries", isRow),
      rowsMoved: sum("entries", (entry) => isRow(entry) && entry.type === "UPDATE"),
      indexEntries: sum(
        "entries",
        ({ manager, type }) =>
          manager === "Btree" && /^(INSERT_LEAF|INSERT_POST|SPLIT_)/.test(type),
      ),
      logBytes: sum(
        "bytes",
        ({ manager, type }) => /^(Heap|Btree|Gin)/.test(manager) && !/VACUUM|VISIBLE/.test(type),
      ),
    };
  }
  return { end };
}

function show(calls: { calls: number; query: string }[], count: number): void {
  for (const { calls: times, query } of calls)
    process.stdout.write(
      `${(times / count).toFixed(2)}  ${query.replace(/\s+/g, " ").slice(0, 150)}\n`,
    );
}

export type Sent = { method: string; path: string; headers: Record<string, string>; body?: string };

/** @see other-side.mjs */
export async function startOtherSide(apiUrl: string) {
  const thread = new Worker(new URL("./other-side.mjs", import.meta.url), { workerData: apiUrl });
  const next = async () => (await once(thread, "message"))[0];
  const { port } = await next();
  return {
    receiverUrl: `http://127.0.0.1:${port}/`,
    /** One after another. @returns their statuses */
    send: (requests: Sent[]): Promise<number[]> => {
      thread.postMessage(requests);
      return next();
    },
    /** Resolves once that many webhooks have arrived in total. */
    received: (count: number): Promise<unknown> => {
      thread.postMessage(count);
      return next();
    },
    end: () => thread.terminate(),
  };
}
