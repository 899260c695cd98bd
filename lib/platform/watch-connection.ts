import type { Socket } from "node:net";
import type pg from "pg";

// A connection can go silent without breaking. After a failover, or behind a firewall that drops
// packets, nothing reports that the other end is gone, and a statement would wait for minutes. Each
// connection therefore has a deadline. One that misses it is destroyed, which fails its statements
// and removes it from its pool.

const tickMs = 250;
/**
 * When one connection has missed its deadline, those to the same server that have been silent since
 * get only this long, whether their statement is in progress or begins later.
 */
const suspectMs = 1_000;

/**
 * `readyForQuery` is false while pg waits for the response to a statement; before the connection is
 * open it is not set.
 */
type Internals = { connection: { stream: Socket }; readyForQuery?: boolean };
const internals = (client: pg.ClientBase) => client as unknown as Internals;

type Watched = {
  client: pg.ClientBase;
  server: keyof typeof silentSinceTick;
  deadlineTicks: number;
  bytesRead: number;
  lastHeardTick: number;
  /** How many ticks the current statement has waited without a byte. */
  silentTicks: number;
};

// Time is counted in ticks. For a process that was stopped or starved, the pause is a single tick,
// so it reads what has arrived before the next one.
const watched = new Set<Watched>();
let tick = 0;
/** Since when at least one connection to each server was silent until it missed its deadline. */
const silentSinceTick = { primary: -1, replica: -1 };
let timer: NodeJS.Timeout | undefined;

const toTicks = (milliseconds: number) => Math.ceil(milliseconds / tickMs);

/**
 * @param server if one connection is silent, only those to the same server are suspected
 * @returns a function that ends the watch
 */
export function watchConnection(
  client: pg.ClientBase,
  deadlineMs: number,
  server: "primary" | "replica" = "primary",
): () => void {
  const entry: Watched = {
    client,
    server,
    deadlineTicks: toTicks(deadlineMs),
    ...{ bytesRead: 0, lastHeardTick: tick, silentTicks: 0 },
  };
  watched.add(entry);
  timer ??= setInterval(examine, tickMs).unref();
  return () => {
    watched.delete(entry);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Ends a connection without waiting for the other end, because it may be gone. */
export function destroyConnection(client: pg.ClientBase, reason?: Error): void {
  internals(client).connection.stream.destroy(reason);
}

function examine(): void {
  tick++;
  for (const entry of watched) listen(entry);
  for (const server of ["primary", "replica"] as const)
    discardSilent(
      server,
      [...watched].filter((entry) => entry.server === server),
    );
}

function discardSilent(server: Watched["server"], connections: Watched[]): void {
  const late = connections.filter((entry) => entry.silentTicks >= entry.deadlineTicks);
  // If one connection is silent, usually all are, and each of the others would make a request wait
  // for its deadline.
  for (const { silentTicks } of late)
    silentSinceTick[server] = Math.max(silentSinceTick[server], tick - silentTicks);
  for (const entry of connections) {
    const isSuspect =
      entry.lastHeardTick <= silentSinceTick[server] &&
      (!isWaiting(entry) || entry.silentTicks >= toTicks(suspectMs));
    if (!late.includes(entry) && !isSuspect) continue;
    watched.delete(entry);
    destroyConnection(
      entry.client,
      new Error("Connection terminated: the database did not respond in time"),
    );
  }
}

const isWaiting = ({ client }: Watched) => internals(client).readyForQuery === false;

function listen(entry: Watched): void {
  const { bytesRead } = internals(entry.client).connection.stream;
  const hasSpoken = bytesRead !== entry.bytesRead;
  entry.bytesRead = bytesRead;
  if (hasSpoken) entry.lastHeardTick = tick;
  entry.silentTicks = hasSpoken || !isWaiting(entry) ? 0 : entry.silentTicks + 1;
}
