import { setTimeout as sleep } from "node:timers/promises";
import type { Partition } from "./caller";
import { runSql } from "./db";
import { sql } from "./sql";

/**
 * The channel on which a process with open event streams listens. A payload names the partitions
 * with new events, separated by commas. An empty one means that any may have some.
 */
export const eventsChannel = "parlance_events";

/**
 * A process with open streams holds this advisory lock, shared. If a writer can take it, no process
 * has any, and nothing is announced.
 */
export const streamsLock = "hashtext('parlance event streams')";

/** How long a writer that found no streams writes events without looking again. */
const quietMs = 1_000;
/** Announcements of one process are at least this far apart, and each names all partitions. */
const spacingMs = 20;
/** PostgreSQL limits a payload to 8,000 bytes. */
const maximumNames = 100;

const announceStatement = sql(
  "announce_events",
  { payload: "text" },
  (p) =>
    `SELECT pg_notify('${eventsChannel}', ${p.payload}) WHERE NOT pg_try_advisory_xact_lock(${streamsLock})`,
);

/** One name for the two parts of a partition. */
export const nameOfPartition = ({ tenantId, environment }: Partition): string =>
  `${tenantId} ${environment}`;

/** `null` for an empty payload: any partition. */
export const partitionsOfPayload = (payload: string | undefined): string[] | null =>
  payload ? payload.split(",") : null;

// The API server's bundle and Next's are in one process, and streams are in one of them.
const shared = globalThis as { parlanceOnEvents?: (partition: string) => void };

/** Calls `listener` for new events that this very process wrote, which need no notification. */
export function onOwnEvents(listener: (partition: string) => void): void {
  shared.parlanceOnEvents = listener;
}

let unannounced = new Set<string>();
let isAnnouncing = false;
let quietUntilMs = 0;

/**
 * Tells the streams of a partition, in all processes, that it may have new events. Requests do not
 * wait for it, and it never throws: streams also poll, so a lost wake-up costs a second.
 */
export function wakeStreams(partition: Partition): void {
  const name = nameOfPartition(partition);
  shared.parlanceOnEvents?.(name);
  if (performance.now() < quietUntilMs) return;
  unannounced.add(name);
  if (!isAnnouncing) void announce();
}

async function announce(): Promise<void> {
  isAnnouncing = true;
  try {
    while (unannounced.size > 0) {
      const names = [...unannounced];
      unannounced = new Set();
      const payload = names.length > maximumNames ? "" : names.join(",");
      const heard = await runSql(announceStatement({ payload }));
      if (heard.length === 0) {
        quietUntilMs = performance.now() + quietMs;
        unannounced.clear();
      } else await sleep(spacingMs, undefined, { ref: false });
    }
  } catch {
    // The database does not respond, which those who wait for it report.
    unannounced.clear();
  } finally {
    isAnnouncing = false;
  }
}
