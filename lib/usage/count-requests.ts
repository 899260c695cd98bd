import { randomUUID } from "node:crypto";
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

/** Its number tells the database whether it was added before. */
type Batch = { number: number; counts: Count[] };

const writerId = randomUUID();
let batches = 0;
/** The batch whose outcome is not known. */
let unconfirmed: Batch | null = null;
let pending = new Map<string, Count>();
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> | null = null;

/**
 * Counts a request for its key and the day (UTC). Needs no query: the counts are written in
 * batches, soon after.
 */
export function countRequest(key: KnownKey): void {
  const dayNumber = Math.floor(Date.now() / dayMs);
  const name = `${dayNumber} ${key.id}`;
  const count = pending.get(name);
  if (count) count.requests++;
  else if (pending.size < maximumPendingCounts) pending.set(name, { key, dayNumber, requests: 1 });
  scheduleFlush();
}

/** Writes what is pending. Also called on shutdown. */
export async function flushRequestCounts(): Promise<void> {
  while (writing) await writing;
  if (!unconfirmed && pending.size === 0) return;
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

/**
 * While the database is unreachable, the counts wait. New ones are merged, so they need little
 * memory. A batch that may have been added stays as it is: it is repeated under its number.
 */
async function write(): Promise<void> {
  const isRepeated = unconfirmed !== null;
  unconfirmed ??= takePending();
  if (await writeBatch(unconfirmed)) {
    unconfirmed = null;
    if (isRepeated && pending.size > 0) return write();
  } else scheduleFlush();
  writing = null;
}

function takePending(): Batch {
  const counts = [...pending.values()];
  pending = new Map();
  return { number: ++batches, counts };
}

/** @returns whether the batch was added or dropped. Otherwise, it must be repeated. */
async function writeBatch({ number, counts }: Batch): Promise<boolean> {
  try {
    const column = <Value>(pick: (count: Count) => Value) => counts.map(pick);
    await runSql(
      addRequestsStatement({
        writerId,
        batch: number,
        tenantIds: column(({ key }) => key.tenantId),
        environments: column(({ key }) => key.environment),
        days: column(({ dayNumber }) => dayOf(dayNumber * dayMs)),
        apiKeyIds: column(({ key }) => key.id),
        requests: column(({ requests }) => requests),
      }),
    );
    return true;
  } catch (error) {
    log.warn({ error: (error as Error).message }, "the numbers of requests could not be written");
    return !isDatabaseUnavailable(error);
  }
}
