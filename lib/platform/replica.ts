import { type Caller, type Identity, reader } from "./caller";
import { hasReplica, replicaDb, replicaPolls } from "./db";
import { AppError } from "./errors";
import { logOf } from "./log";
import { meter } from "./meter";
import { sqlState } from "./sql-errors";
import {
  checkStore,
  currentPosition,
  forgetWrites,
  lastWriteOf,
  unknownWrites,
} from "./write-positions";

// Reads from a streaming replica (DATABASE_REPLICA_URL). A replica is behind the primary, so each
// process polls how far it has replayed the primary's log. A key or user reads from it only if it
// has everything that they wrote themselves, and is at most a few seconds behind.
// Every other read, and every read while the replica is down, goes to the primary.

const log = logOf("database");

const pollMs = 50;
/** After this long without reads that it may serve, the replica is no longer polled. */
const idleMs = 10_000;
/** How often the primary's position is read, to see how old the replica's data is. */
const sampleMs = 1_000;
/** A replica further behind is not used. */
const maximumLagMs = 10_000;
/** A replica that has not responded for this long may be down, so no request waits for it. */
const silentMs = 1_000;

type Sample = { position: number; takenAtMs: number };

type State = {
  /** What the replica has replayed, and when it said so. */
  replayed: number;
  polledAtMs: number;
  /** The replica has everything that was committed until then. */
  completeUntilMs: number;
  /** A position of the primary that the replica has not confirmed yet. */
  sample: Sample | null;
  sampledAtMs: number;
  neededAtMs: number;
  isPolling: boolean;
  /** How often the replica may have restarted: it lost a connection, or what it had replayed. */
  losses: number;
  /** For the log, which reports changes only. */
  wasUsable: boolean | null;
};

const never = Number.NEGATIVE_INFINITY;

// On globalThis for the reason given in db.ts.
const shared = globalThis as { parlanceReplica?: State };

function state(): State {
  shared.parlanceReplica ??= {
    replayed: 0,
    polledAtMs: never,
    completeUntilMs: never,
    sample: null,
    sampledAtMs: never,
    neededAtMs: never,
    isPolling: false,
    losses: 0,
    wasUsable: null,
  };
  return shared.parlanceReplica;
}

/**
 * Runs a read that may be a few seconds old, on the replica if possible. If the replica fails, or
 * lacks what the read needs, such as the item of a cursor, the read is repeated on the primary.
 */
export async function readFromReplica<Result>(
  identity: Identity,
  read: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  if (!hasReplica()) return read(reader(identity));
  const known = state();
  const { losses } = known;
  const caller = await replicaReader(identity);
  if (caller.db !== replicaDb()) return read(caller);
  try {
    const result = await read(caller);
    // A replica that restarted since it was chosen may have served what it had long before.
    if (known.losses === losses) return result;
  } catch (error) {
    // On the primary, the statement would take as long and be canceled again.
    if (isStatementTimeout(error)) throw error;
    // The next poll detects that the replica is down, and logs it once for all reads.
    if (isLost(error)) noteLoss(known);
    else if (!(error instanceof AppError))
      log.warn({ error: (error as Error).message }, "a read failed on the replica");
  }
  return read(reader(identity));
}

/** The same for reads that cannot be repeated, such as a download that has begun. */
export async function replicaReader(identity: Identity): Promise<Caller> {
  const caller = reader(identity);
  if (!hasReplica()) return caller;
  const target = await targetOf(identity.actor.id);
  meter()?.count("replicaReads", { target });
  return target === "replica" ? { ...caller, db: replicaDb() } : caller;
}

const isStatementTimeout = (error: unknown) => sqlState(error) === "57014";
/** The connection was lost: PostgreSQL itself sent no error. */
const isLost = (error: unknown) => !(error instanceof AppError) && sqlState(error) === undefined;

async function targetOf(id: string): Promise<"replica" | "primary_own_write" | "primary_lag"> {
  const known = state();
  const nowMs = performance.now();
  known.neededAtMs = nowMs;
  if (!known.isPolling) void keepPolling();
  if (!isUsable(known, nowMs)) return "primary_lag";
  // The replayed position grows, so a value from before the lookup is on the safe side.
  const { replayed } = known;
  return (await lastWriteOf(id)) <= replayed ? "replica" : "primary_own_write";
}

const isUsable = ({ polledAtMs, completeUntilMs }: State, nowMs: number): boolean =>
  nowMs - polledAtMs < silentMs && nowMs - completeUntilMs < maximumLagMs;

async function keepPolling(): Promise<void> {
  const known = state();
  known.isPolling = true;
  // The connection of the polls ends with the replica, before a new one can serve a read.
  const polls = replicaPolls();
  const onLoss = () => noteLoss(known);
  polls.on("error", onLoss);
  while (performance.now() - known.neededAtMs < idleMs) {
    const error = await poll().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    if (error) noteLoss(known);
    reportChange(error);
    await new Promise((resolve) => setTimeout(resolve, error ? sampleMs : pollMs).unref());
    if (shared.parlanceReplica !== known) return;
  }
  polls.off("error", onLoss);
  known.isPolling = false;
  known.wasUsable = null;
}

const replayedText =
  "SELECT pg_is_in_recovery() AS \"isReplica\", pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 AS replayed";

async function poll(): Promise<void> {
  const known = state();
  const startedMs = performance.now();
  if (!known.sample && startedMs - known.sampledAtMs >= sampleMs) {
    known.sampledAtMs = startedMs;
    const settleUnknown = unknownWrites();
    const position = await currentPosition();
    settleUnknown(position);
    void checkStore();
    known.sample = { position, takenAtMs: startedMs };
  }
  const askedMs = performance.now();
  const { rows } = await replicaPolls().query<{ isReplica: boolean; replayed: number }>(
    replayedText,
  );
  const [found] = rows;
  // A promoted replica has a history of its own.
  if (!found?.isReplica) throw new Error("DATABASE_REPLICA_URL does not lead to a replica");
  if (found.replayed < known.replayed) startOver(known);
  known.replayed = found.replayed;
  known.polledAtMs = askedMs;
  if (known.sample && found.replayed >= known.sample.position) {
    known.completeUntilMs = known.sample.takenAtMs;
    known.sample = null;
    forgetWrites(found.replayed);
  }
}

/** It may be another replica, or the same one in an earlier state, when it responds again. */
function noteLoss(known: State): void {
  known.losses++;
  known.polledAtMs = never;
}

/**
 * A replica that crashed accepts connections before it has replayed again what it had. Writes that it
 * had replayed are forgotten here, so it is not used until it has everything that is written now.
 */
function startOver(known: State): void {
  known.losses++;
  known.completeUntilMs = never;
  known.sample = null;
  known.sampledAtMs = never;
}

function reportChange(error: Error | undefined): void {
  const known = state();
  const usable = !error && isUsable(known, performance.now());
  if (usable === known.wasUsable) return;
  // Polling has just started.
  if (known.wasUsable === null && !error && known.completeUntilMs === never) return;
  if (usable && known.wasUsable === false) log.info("the replica is used again");
  if (!usable)
    log.warn(
      { error: error?.message, behindMs: Math.round(performance.now() - known.completeUntilMs) },
      "the replica is down or too far behind, so every read goes to the primary",
    );
  known.wasUsable = usable;
}
