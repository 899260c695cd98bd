import type pg from "pg";
import { atDeadline } from "./deadlines";
import { tooManyStreamsInProcess, unavailable } from "./errors";
import { maximumSharedLocks } from "./join-changes";
import { listenOn, type RunQuery } from "./listen-for-notifications";
import { eventsChannel, streamsLock } from "./wake-streams";
import { destroyConnection } from "./watch-connection";

// Streams are counted across all processes. Each takes a numbered slot of each of its owners, as an
// advisory lock on a connection that all streams of this process share. PostgreSQL releases the
// locks when that connection ends, however the process ends. The connection also listens for
// events, and is open only while there are streams. Through a connection pooler no session is ours,
// so each process then counts its own streams, and finds events by polling.

/** The server notices within 20 s that the machine of a process is gone, which frees its slots. */
const sessionSettings =
  "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

const lockOf = (name: string) => `hashtextextended(${name}, 0)`;

/** Whose streams are counted, and how many may be open. */
export type SlotOwner = { name: string; limit: number };

export type Slot = { release: () => void };

/**
 * How many streams a process has at most. Their locks are in a table that all sessions of the
 * database share, with room for 6,400 by default. A stream has two, of its key and of its
 * environment. A change with an idempotency key has one: 384 in statements that make several, and
 * one for each of a pool's 12 connections. So a process has up to 2 × 300 + 384 + 12 = 996, and the
 * five web processes that can run during a rolling deployment (connection-budget.ts) have 4,980. The
 * others are for about 450 tables, partitions and indexes, each counted once for all sessions, up to
 * 97 transactions, and rows that several wait for.
 */
export const maximumOfProcess = { streams: 300 };
const locksPerStream = 2;

export const locksOfProcess = (poolSize: number): number =>
  locksPerStream * maximumOfProcess.streams + maximumSharedLocks + poolSize;

/** `names` has one for each owner. */
type Held = { names: string[]; onLost: () => void };

/** `lock` returns those of the names that could be locked, at most so many. */
type Locks = {
  lock: (names: string[], limit: number) => Promise<string[]>;
  unlock: (name: string) => Promise<unknown>;
};

type Session = {
  stop: () => void;
  /** Resolves once the connection has the locks of all slots. */
  ready: Promise<Locks>;
};

const held = new Set<Held>();
let session: Session | undefined;
/** Slots are taken one at a time, because PostgreSQL grants a session any lock it already has. */
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;
let onNotification: (payload: string | undefined) => void = () => {};

/** `listener` gets each payload, and undefined when some may have been missed. */
export function onEventsNotification(listener: (payload: string | undefined) => void): void {
  onNotification = listener;
}

/**
 * Takes a slot of each owner.
 * @param onLost called if the slot was lost with the connection, and someone else has it now
 * @returns the slot, or the first owner whose slots are all taken, in any process
 * @throws AppError `unavailable` if this process has too many streams, or cannot reach the database
 */
export function takeSlot<Owner extends SlotOwner>(
  owners: readonly Owner[],
  onLost: () => void,
): Promise<{ slot: Slot } | { full: Owner }> {
  waiting++;
  const taken = turn
    .then(() => take(owners, onLost))
    .finally(() => {
      waiting--;
      closeIfUnused();
    });
  turn = taken.catch(() => {});
  return taken;
}

async function take<Owner extends SlotOwner>(
  owners: readonly Owner[],
  onLost: () => void,
): Promise<{ slot: Slot } | { full: Owner }> {
  const free = owners.map((owner) => ({ owner, names: freeNames(owner) }));
  const full = free.find(({ names }) => names.length === 0);
  if (full) return { full: full.owner };
  session ??= openSession();
  const locks = await withinTime(session.ready).catch(() => {
    throw unavailable();
  });
  const locked: string[] = [];
  for (const { owner, names } of free) {
    // All on one connection: if it ends meanwhile, this fails, and the locks before are gone, too.
    const [name] = await locks.lock(names, 1).catch(() => {
      unlock(locks, locked);
      throw unavailable();
    });
    if (name === undefined) {
      unlock(locks, locked);
      return { full: owner };
    }
    locked.push(name);
  }
  if (held.size >= maximumOfProcess.streams) {
    unlock(locks, locked);
    throw tooManyStreamsInProcess();
  }
  const slot: Held = { names: locked, onLost };
  held.add(slot);
  return { slot: { release: () => release(slot) } };
}

function freeNames({ name: owner, limit }: SlotOwner): string[] {
  const names = Array.from({ length: limit }, (_, index) => `stream ${owner} ${index + 1}`);
  const ours = new Set([...held].flatMap(({ names }) => names));
  return names.filter((name) => !ours.has(name));
}

function release(slot: Held): void {
  const wasHeld = held.delete(slot);
  if (!closeIfUnused() && wasHeld) void session?.ready.then((locks) => unlock(locks, slot.names));
}

/** If this fails, the connection has ended, and the locks with it. */
function unlock(locks: Locks, names: string[]): void {
  for (const name of names) locks.unlock(name).catch(() => {});
}

function closeIfUnused(): boolean {
  if (held.size > 0 || waiting > 0) return false;
  session?.stop();
  session = undefined;
  return true;
}

const connectWithinMs = 5_000;

function withinTime<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = atDeadline(connectWithinMs, () => reject(new Error("no connection in time")));
    promise.then(resolve, reject).finally(cancel);
  });
}

function openSession(): Session {
  const next = () => {
    let resolve: (locks: Locks) => void = () => {};
    const promise = new Promise<Locks>((resolver) => {
      resolve = resolver;
    });
    return { promise, resolve, isResolved: false };
  };
  let ready = next();
  const listener = listenOn({
    name: "streams",
    channel: eventsChannel,
    onNotification: (payload) => onNotification(payload),
    onLost: () => {
      if (!ready.isResolved) return;
      ready = next();
      opened.ready = ready.promise;
    },
    onConnected: (connection, query) =>
      void prepare(connection, query).then(
        (locks) => {
          ready.isResolved = true;
          ready.resolve(locks);
          onNotification(undefined);
        },
        // `listenOn` then opens another.
        (error: Error) => destroyConnection(connection, error),
      ),
  });
  const opened: Session = { stop: listener.stop, ready: ready.promise };
  return opened;
}

/** Takes the locks of the slots that are held, which a new connection does not have yet. */
async function prepare(connection: pg.Client, query: RunQuery): Promise<Locks> {
  if (!(await isOwnSession(connection, query))) return localLocks;
  const locks = locksOf(query);
  await query(sessionSettings);
  await query(`SELECT pg_advisory_lock_shared(${streamsLock})`);
  const slots = [...held];
  const names = slots.flatMap((slot) => slot.names);
  const locked = new Set(names.length > 0 ? await locks.lock(names, names.length) : []);
  for (const slot of slots) {
    if (slot.names.every((name) => locked.has(name)) || !held.delete(slot)) continue;
    for (const name of slot.names.filter((each) => locked.has(each))) await locks.unlock(name);
    slot.onLost();
  }
  return locks;
}

/** A pooler tells its clients another process id than that of the session that serves them. */
async function isOwnSession(connection: pg.Client, query: RunQuery): Promise<boolean> {
  const [own] = await query<{ id: number }>("SELECT pg_backend_pid() AS id");
  return own?.id === (connection as unknown as { processID: number }).processID;
}

const locksOf = (query: RunQuery): Locks => ({
  lock: async (names, limit) => {
    const rows = await query<{ name: string }>(
      `SELECT name FROM unnest($1::text[]) AS name WHERE pg_try_advisory_lock(${lockOf("name")}) LIMIT $2`,
      [names, limit],
    );
    return rows.map(({ name }) => name);
  },
  unlock: (name) => query(`SELECT pg_advisory_unlock(${lockOf("$1")})`, [name]),
});

const localLocks: Locks = {
  lock: async (names, limit) => names.slice(0, limit),
  unlock: async () => {},
};
