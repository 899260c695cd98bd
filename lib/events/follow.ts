import type { Caller, Partition } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { invalidStreamCursor } from "@/lib/platform/errors";
import { logOf } from "@/lib/platform/log";
import { onEventsNotification } from "@/lib/platform/stream-slots";
import { now } from "@/lib/platform/time";
import { nameOfPartition, onOwnEvents, partitionsOfPayload } from "@/lib/platform/wake-streams";
import { isFromDroppedWeek } from "@/lib/resources/ids";
import { isStreamCursor, type StreamEvents, streamStart } from "./schema";
import {
  feedEndStatement,
  followEventsStatement,
  lastEventStatement,
  newEventsStatement,
  type Position,
  positionStatement,
} from "./service.sql";

const log = logOf("api");

/** An event as it was stored: the payload is its JSON. */
export type FollowedEvent = { id: string; payload: string };

/** A reader that follows the feed in its order, and gets each event once. */
export type Follower = {
  /** The cursor that continues where the follower starts. */
  startCursor: string;
  /** Resolves with the next events as soon as there are some, and with none once it was stopped. */
  next: () => Promise<readonly FollowedEvent[]>;
  /**
   * The cursor that continues where the follower is now, for one that skips types. Null if there is
   * none, or none but that of the last event that `next` gave.
   */
  cursor: () => Promise<string | null>;
  stop: () => void;
};

type Reader = {
  position: Position;
  types: readonly string[] | undefined;
  /** There may be events after its position. */
  isBehind: boolean;
  /** Resolves `next`, if it was called. */
  give: ((events: readonly FollowedEvent[]) => void) | null;
};

/** The feed of one partition, and who follows it in this process. */
type Feed = {
  partition: Partition;
  readers: Set<Reader>;
  isReading: boolean;
  readAtMs: number;
  /** Set while a wake-up waits because the feed was read a moment ago. */
  pause: NodeJS.Timeout | null;
  /** Set while the feed ends before an event that is committed, because of an older transaction. */
  delayedRead: NodeJS.Timeout | null;
  delayMs: number;
};

const batchSize = 100;
/** How many feeds are read concurrently, so that streams leave connections for requests. */
const maximumReads = 2;
/** Finds events whose notification was lost. */
const pollMs = 1_000;
/** Reads at the end of a busy feed are this far apart, and then return several events each. */
const gapMs = 10;
const firstDelayMs = 5;
const longestDelayMs = 500;

const feeds = new Map<string, Feed>();
/** Feeds to read, first come, first served. */
const due = new Set<Feed>();
let reads = 0;
let poll: NodeJS.Timeout | undefined;
let isPolling = false;

/**
 * Follows the feed of the caller's partition, from a cursor or from its present end.
 * @param lastEventId the header `Last-Event-ID`, which takes precedence over the cursor
 * @throws AppError `invalid-cursor` for an id that is not one of this tenant's events
 */
export async function followEvents(
  { partition }: Caller,
  { cursor, types }: StreamEvents,
  lastEventId: string | null = null,
): Promise<Follower> {
  // A client that was given no id yet may send an empty header.
  const start = await startOf(partition, lastEventId || cursor);
  if (!start) throw invalidStreamCursor(lastEventId ? "header" : "query");
  const feed = feedOf(partition);
  const reader: Reader = { position: start.position, types, isBehind: true, give: null };
  feed.readers.add(reader);
  return {
    startCursor: start.cursor,
    next: () =>
      new Promise((resolve) => {
        if (!feed.readers.has(reader)) return resolve([]);
        reader.give = resolve;
        if (reader.isBehind) readSoon(feed);
      }),
    cursor: async () => (types ? lastCursor(partition, reader.position) : null),
    stop: () => {
      feed.readers.delete(reader);
      reader.give?.([]);
      reader.give = null;
      if (feed.readers.size === 0) closeFeed(feed);
    },
  };
}

async function startOf(partition: Partition, cursor: string | undefined) {
  if (cursor !== undefined && !isStreamCursor(cursor)) return null;
  if (cursor === streamStart) return { position: { xact: "0", id: "" }, cursor };
  if (cursor === undefined) {
    const [end] = await runSql<{ xact: string; id: string | null }>(feedEndStatement(partition));
    if (!end) throw new Error("expected the end of the feed, found none");
    return { position: { xact: end.xact, id: "" }, cursor: end.id ?? streamStart };
  }
  const [found] = await runSql<{ xact: string | null }>(
    positionStatement({ ...partition, id: cursor }),
  );
  // All other events of the cursor's week are gone, and it was before the remaining ones.
  const xact = found?.xact ?? (isFromDroppedWeek("event", cursor, now()) ? "0" : null);
  return xact === null ? null : { position: { xact, id: cursor }, cursor };
}

async function lastCursor(partition: Partition, position: Position): Promise<string | null> {
  const [last] = await runSql<{ id: string }>(lastEventStatement({ ...partition, ...position }));
  return last?.id ?? null;
}

function feedOf(partition: Partition): Feed {
  const name = nameOfPartition(partition);
  const known = feeds.get(name);
  if (known) return known;
  const feed: Feed = {
    partition,
    readers: new Set(),
    isReading: false,
    readAtMs: Number.NEGATIVE_INFINITY,
    pause: null,
    delayedRead: null,
    delayMs: firstDelayMs,
  };
  feeds.set(name, feed);
  if (!poll) {
    onOwnEvents(wakeNamed);
    onEventsNotification((payload) => {
      for (const woken of partitionsOfPayload(payload) ?? feeds.keys()) wakeNamed(woken);
    });
    poll = setInterval(() => void findNewEvents(), pollMs).unref();
  }
  return feed;
}

function closeFeed(feed: Feed): void {
  for (const timer of [feed.pause, feed.delayedRead]) if (timer) clearTimeout(timer);
  due.delete(feed);
  const name = nameOfPartition(feed.partition);
  if (feeds.get(name) === feed) feeds.delete(name);
  if (feeds.size > 0) return;
  clearInterval(poll);
  poll = undefined;
}

function wakeNamed(name: string): void {
  const feed = feeds.get(name);
  if (feed) wake(feed);
}

function wake(feed: Feed): void {
  if (feed.pause) return;
  const waitMs = feed.readAtMs + gapMs - performance.now();
  if (waitMs > 0) {
    feed.pause = setTimeout(() => {
      feed.pause = null;
      wake(feed);
    }, waitMs).unref();
    return;
  }
  for (const reader of feed.readers) reader.isBehind = true;
  readSoon(feed);
}

function readSoon(feed: Feed): void {
  due.add(feed);
  readDue();
}

function readDue(): void {
  for (const feed of due) {
    if (reads >= maximumReads) return;
    if (feed.isReading) continue;
    due.delete(feed);
    void read(feed);
  }
}

/** Reads once for each position and selection at which readers wait. Most wait at the feed's end. */
async function read(feed: Feed): Promise<void> {
  reads++;
  feed.isReading = true;
  feed.readAtMs = performance.now();
  for (const group of waitingReaders(feed))
    await readFor(feed, group).catch((error: Error) =>
      // The poll tries again. Other groups can be readable.
      log.warn({ error: error.message }, "an event stream could not be read"),
    );
  reads--;
  feed.isReading = false;
  readDue();
}

function waitingReaders(feed: Feed): Reader[][] {
  const groups = new Map<string, Reader[]>();
  for (const reader of feed.readers) {
    if (!reader.give || !reader.isBehind) continue;
    const { position, types } = reader;
    const name = `${position.xact} ${position.id} ${types?.join() ?? ""}`;
    groups.set(name, [...(groups.get(name) ?? []), reader]);
  }
  return [...groups.values()];
}

type Row = {
  horizon: string;
  isDelayed: boolean;
  /** Null in a row without an event. */
  id: string | null;
  payload: string;
  xact: string;
};

async function readFor(feed: Feed, group: Reader[]): Promise<void> {
  const [{ position, types } = { position: { xact: "0", id: "" }, types: undefined }] = group;
  // New events that are announced from now on may not be in the result.
  for (const reader of group) reader.isBehind = false;
  try {
    const rows = await runSql<Row>(
      followEventsStatement(feed.partition, { position, types, limit: batchSize }),
    );
    const [first] = rows;
    const events = rows.flatMap(({ id, payload }) => (id === null ? [] : [{ id, payload }]));
    const last = rows.at(-1);
    const isFull = events.length === batchSize && last?.id;
    const reached = isFull
      ? { xact: last.xact, id: last.id as string }
      : laterOf(position, { xact: first?.horizon ?? position.xact, id: "" });
    for (const reader of group) advance(reader, reached, events, Boolean(isFull));
    if (first) readAgainIf(feed, first.isDelayed);
  } catch (error) {
    for (const reader of group) reader.isBehind = true;
    throw error;
  }
}

/**
 * A client can have a cursor that the feed has not reached, from a webhook or from the newest events.
 * It must not get that event, or one before it, again.
 */
const laterOf = (position: Position, horizon: Position): Position =>
  BigInt(horizon.xact) > BigInt(position.xact) ? horizon : position;

function advance(
  reader: Reader,
  reached: Position,
  events: readonly FollowedEvent[],
  hasMore: boolean,
): void {
  reader.position = reached;
  if (hasMore) reader.isBehind = true;
  if (events.length === 0) return;
  const { give } = reader;
  reader.give = null;
  give?.(events);
}

/** Nothing announces the end of the older transaction that the feed waits for. */
function readAgainIf(feed: Feed, isDelayed: boolean): void {
  if (feed.delayedRead) return;
  if (!isDelayed) {
    feed.delayMs = firstDelayMs;
    return;
  }
  feed.delayedRead = setTimeout(() => {
    feed.delayedRead = null;
    wake(feed);
  }, feed.delayMs).unref();
  feed.delayMs = Math.min(2 * feed.delayMs, longestDelayMs);
}

/** Wakes the feeds that have events which nobody announced, by one statement for all of them. */
async function findNewEvents(): Promise<void> {
  if (isPolling) return;
  isPolling = true;
  try {
    const waiting = [...feeds.values()].flatMap((feed) => {
      const readers = [...feed.readers].filter(({ give }) => give);
      // Those that are behind wait for a read that failed.
      if (readers.some(({ isBehind }) => isBehind)) readSoon(feed);
      const [reader] = readers;
      return reader ? [{ ...feed.partition, xact: reader.position.xact }] : [];
    });
    if (waiting.length === 0) return;
    const found = await runSql<Partition>(
      newEventsStatement({
        tenantIds: waiting.map(({ tenantId }) => tenantId),
        environments: waiting.map(({ environment }) => environment),
        transactions: waiting.map(({ xact }) => xact),
      }),
    );
    for (const partition of found) wakeNamed(nameOfPartition(partition));
  } catch {
    // The next poll tries again. What waits for the database reports that it does not respond.
  } finally {
    isPolling = false;
  }
}
