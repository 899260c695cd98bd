import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "@upstash/redis";
import type { Identity } from "./caller";
import { pool, replicaPolls } from "./db";
import { env } from "./env";
import { logOf } from "./log";

// Up to where in PostgreSQL's log each key and user has written, for reads from a replica. With a
// shared store, every process knows what the others wrote. Without one, each process knows only its
// own writes. What remains: a process that cannot reach the store, while another one can, and the
// replica is more than a second behind. For some seconds, a key may then read from the other process
// what it was before its write. A position is a number of bytes, which stays exact for 9 PB.
//
// A Redis that restarts without a copy on disk has forgotten the positions, and says so of none of
// them. So it also has a mark with the time since when it has them all.

const log = logOf("database");

const timeoutMs = 500;
/** Longer than a replica in use can be behind. */
const lifetimeSeconds = 120;
const failureLogMs = 10_000;

/**
 * After a failure of the store, and after it was empty, writes of other processes may be missing in it,
 * so every read goes to the primary for this long: longer than a replica in use can be behind.
 */
const distrustMs = 15_000;
/** How often a write that the store does not have is sent again. */
const retryMs = 500;
/** How long a response waits for the replica if the store does not have its write. */
const mostWaitMs = 1_000;

type Positions = {
  own: Map<string, number>;
  store: Redis | null;
  /** The mark that this process has seen last. */
  mark: number | null;
  failedAtMs: number;
  loggedAtMs: number;
};

// On globalThis for the reason given in db.ts.
const shared = globalThis as { parlanceWritePositions?: Positions };

function positions(): Positions {
  shared.parlanceWritePositions ??= {
    own: new Map(),
    store: connect(),
    mark: null,
    failedAtMs: Number.NEGATIVE_INFINITY,
    loggedAtMs: Number.NEGATIVE_INFINITY,
  };
  return shared.parlanceWritePositions;
}

function connect(): Redis | null {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token) return null;
  return new Redis({
    url,
    token,
    retry: { retries: 1, backoff: () => 0 },
    // A function, for the reason given in rate-limit/upstash-rate-limiter.ts.
    signal: () => AbortSignal.timeout(timeoutMs),
    enableTelemetry: false,
  });
}

const keyOf = (id: string) => `parlance:written:${id}`;
/** In microseconds, by the clock of the store. */
const markKey = "parlance:written-since";

/**
 * Remembers that a key or user has committed something, so that they do not read an older state
 * afterwards. Called between the commit and the response, and only if there is a replica.
 */
export async function noteWrite({ actor: { type, id } }: Identity): Promise<void> {
  if (type !== "API_KEY" && type !== "USER") return;
  // If the primary does not respond, the position is unknown: they read from the primary until a
  // later position is known and replayed.
  const position = await currentPosition().catch(() => Number.POSITIVE_INFINITY);
  const { own, store } = positions();
  own.set(id, Math.max(position, own.get(id) ?? 0));
  if (!store) return;
  try {
    await share(store, id, position);
  } catch (error) {
    report(error);
    void shareLater(store, id, position);
    await untilReplayed(position);
  }
}

async function share(store: Redis, id: string, position: number): Promise<void> {
  // A sorted set of one member keeps the highest score, in whichever order the writes arrive.
  const score = Math.min(position, Number.MAX_SAFE_INTEGER);
  await store
    .pipeline()
    .zadd(keyOf(id), { gt: true }, { score, member: "position" })
    .expire(keyOf(id), lifetimeSeconds)
    .exec();
}

/** Until the store has it, or the replica has replayed it long ago. */
async function shareLater(store: Redis, id: string, position: number): Promise<void> {
  const untilMs = performance.now() + distrustMs;
  while (performance.now() < untilMs) {
    await sleep(retryMs, undefined, { ref: false });
    try {
      return await share(store, id, position);
    } catch (error) {
      report(error);
    }
  }
}

/**
 * Another process may reach the store and read there that this key has written nothing, so the
 * response waits until the replica has the write, or is far behind.
 */
async function untilReplayed(position: number): Promise<void> {
  const untilMs = performance.now() + mostWaitMs;
  const text = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 AS replayed";
  while (performance.now() < untilMs) {
    const replayed = await replicaPolls()
      .query<{ replayed: number | null }>(text)
      .then(({ rows }) => rows[0]?.replayed ?? 0)
      .catch(() => null);
    // A replica that is down serves no reads either.
    if (replayed === null || replayed >= position) return;
    await sleep(20);
  }
}

/** Notices failures of the store in a process that has nothing to look up in it. */
export async function checkStore(): Promise<void> {
  const { store } = positions();
  if (!store) return;
  try {
    await examineMark(store, await store.get<number>(markKey));
  } catch (error) {
    report(error);
  }
}

/** Distrusts a store that has had everything for a short time only, or does not know for how long. */
async function examineMark(store: Redis, found: number | null): Promise<void> {
  const known = positions();
  if (found !== null && found === known.mark) return;
  const [seconds, microseconds] = await store.time();
  const now = seconds * 1_000_000 + microseconds;
  if (found === null) await store.set(markKey, now, { nx: true });
  const mark = found ?? (await store.get<number>(markKey)) ?? now;
  known.failedAtMs = Math.max(known.failedAtMs, performance.now() - (now - mark) / 1_000);
  known.mark = mark;
}

/** Forgets writes that the replica has replayed, because they can be read from either server. */
export function forgetWrites(replayed: number): void {
  const { own } = positions();
  for (const [id, written] of own) if (written <= replayed) own.delete(id);
}

/** @returns a function that sets a later position for the writes whose position is unknown now */
export function unknownWrites(): (position: number) => void {
  const { own } = positions();
  const ids = [...own].flatMap(([id, written]) => (Number.isFinite(written) ? [] : [id]));
  return (position) => {
    for (const id of ids) own.set(id, position);
  };
}

const isDistrusted = () => performance.now() - positions().failedAtMs < distrustMs;

/** Infinity if it is not known, so that the primary is read. */
export async function lastWriteOf(id: string): Promise<number> {
  const { own, store } = positions();
  const known = own.get(id) ?? 0;
  if (!store) return known;
  if (isDistrusted()) return Number.POSITIVE_INFINITY;
  try {
    const [position, mark] = await store
      .pipeline()
      .zscore(keyOf(id), "position")
      .get<number>(markKey)
      .exec();
    await examineMark(store, mark);
    if (isDistrusted()) return Number.POSITIVE_INFINITY;
    return Math.max(known, Number(position ?? 0));
  } catch (error) {
    report(error);
    return Number.POSITIVE_INFINITY;
  }
}

function report(error: unknown): void {
  const known = positions();
  known.failedAtMs = performance.now();
  if (performance.now() - known.loggedAtMs < failureLogMs) return;
  known.loggedAtMs = performance.now();
  // The second part of the message is the command, which contains ids.
  const reason = (error as Error).message.split(", command was:")[0];
  log.error(
    { reason },
    "the shared store of write positions is unavailable, so reads go to the primary",
  );
}

// Commits that are written to disk are in the log up to its flushed position. Others are at most at
// the position of the next entry.
const positionText = `SELECT pg_wal_lsn_diff(CASE current_setting('synchronous_commit') WHEN 'off'
  THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END, '0/0')::float8 AS position`;

let running: Promise<number> | undefined;
let next: Promise<number> | undefined;

/**
 * A position after everything that was committed before the call. Calls that arrive while a query
 * is in progress share the next one.
 */
export function currentPosition(): Promise<number> {
  if (!running) return start();
  next ??= running.then(start, start);
  return next;
}

function start(): Promise<number> {
  next = undefined;
  running = pool()
    .query<{ position: number }>({ name: "parlance_position", text: positionText })
    .then(({ rows }) => rows[0]?.position ?? Number.POSITIVE_INFINITY)
    .finally(() => {
      running = undefined;
    });
  return running;
}
