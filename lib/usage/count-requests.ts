import type { KnownKey } from "@/lib/api-keys/key-cache";
import { runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { dayOf } from "./schema";
import { addRequestsStatement } from "./service.sql";

const log = logOf("jobs");

const flushIntervalMs = 1_000;
const dayMs = 24 * 3_600_000;
/** Counts that wait while the database is unreachable: one per key and day. */
const maximumPendingCounts = 10_000;

type Count = { key: KnownKey; dayNumber: number; requests: number };

let pending = new Map<string, Count>();
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> | null = null;

/**
 * Counts a request for its key and the day (UTC). Needs no query: the counts are written in
 * batches, soon after.
 */
export function countRequest(key: KnownKey): void {
  add({ key, dayNumber: Math.floor(Date.now() / dayMs), requests: 1 });
  scheduleFlush();
}

/** Writes what is pending. Also called on shutdown. */
export async function flushRequestCounts(): Promise<void> {
  while (writing) await writing;
  if (pending.size === 0) return;
  writing = write();
  await writing;
}

function scheduleFlush(): void {
  if (timer) return;
  timer = setTimeout(() => {
    timer = undefined;
    void flushRequestCounts();
  }, flushIntervalMs).unref();
}

function add({ key, dayNumber, requests }: Count): void {
  const name = `${dayNumber} ${key.id}`;
  const count = pending.get(name);
  if (count) count.requests += requests;
  else if (pending.size < maximumPendingCounts) pending.set(name, { key, dayNumber, requests });
}

/**
 * While the database is unreachable, the counts wait. They are merged with new ones, so they need
 * little memory.
 */
async function write(): Promise<void> {
  const counts = [...pending.values()];
  pending = new Map();
  try {
    const column = <Value>(pick: (count: Count) => Value) => counts.map(pick);
    await runSql(
      addRequestsStatement({
        tenantIds: column(({ key }) => key.tenantId),
        environments: column(({ key }) => key.environment),
        days: column(({ dayNumber }) => dayOf(dayNumber * dayMs)),
        apiKeyIds: column(({ key }) => key.id),
        requests: column(({ requests }) => requests),
      }),
    );
  } catch (error) {
    log.warn({ error: (error as Error).message }, "the numbers of requests could not be written");
    if (isDatabaseUnavailable(error)) {
      for (const count of counts) add(count);
      scheduleFlush();
    }
  }
  writing = null;
}
