import { findKey, type KnownKey } from "@/lib/api-keys/key-cache";
import type { Scope } from "@/lib/api-keys/scopes";
import type { FollowedEvent, Follower } from "@/lib/events/follow";
import { atDeadline } from "@/lib/platform/deadlines";
import { tooManyStreams } from "@/lib/platform/errors";
import { type Slot, takeSlot } from "@/lib/platform/stream-slots";

// Server-sent events. Each event has its id, which a client sends as `Last-Event-ID` to continue
// after it. A stream reads on only after its client has received everything. So it holds at most the
// events of one read of the feed, and streams at the same position share these.

/**
 * Of a key, and of all keys of its environment together: every stream is a connection and two locks
 * in the database's table of locks, which all organizations share.
 */
export const maximumStreams = { key: 10, environment: 100 };

/** Tests shorten these times. */
export const streamTimes = {
  /** A stream sends something at least this often. */
  heartbeatMs: 15_000,
  /** A client that takes longer than this for one part is cut off. */
  slowAfterMs: 30_000,
  /** How often the key of each stream is checked again. */
  recheckMs: 2_000,
};

/** Clients wait this long before they reconnect, unless they decide themselves. */
const retryMs = 1_000;
/** A part has at most this much, except for a single event that is larger. */
const partBytes = 64 * 1_024;

/** The body of a response that goes on until the client, the key or the server ends it. */
export type EventStream = {
  /** The next part, once the previous one was sent. Null at the end. */
  read: () => Promise<string | null>;
  /** Ends it with a comment that says why, after the part that is being sent. */
  end: (why: string) => void;
  /** The client has disconnected. */
  cancel: () => void;
  /** Aborted if the client is too slow. The connection must then be closed. */
  signal: AbortSignal;
};

/** Who opened a stream, to check again whether they may read it. */
type Reader = { key: KnownKey; scope: Scope; address: string | null };

/**
 * Opens a stream if the key has fewer than 10, and its environment fewer than 100, counted over all
 * processes.
 * @throws AppError `limit-reached`, and whatever `follow` throws
 */
export async function openEventStream(
  reader: Reader,
  follow: () => Promise<Follower>,
): Promise<EventStream> {
  let isLost = false;
  let lose = () => {
    isLost = true;
  };
  const { id, tenantId, environment } = reader.key;
  const owners = [
    { of: "key", name: id, limit: maximumStreams.key },
    { of: "environment", name: `${tenantId} ${environment}`, limit: maximumStreams.environment },
  ] as const;
  const taken = await takeSlot(owners, () => lose());
  if ("full" in taken) throw tooManyStreams(taken.full);
  const { slot } = taken;
  try {
    const stream = makeStream(await follow(), slot, reader);
    lose = () => stream.end("The stream's connection to the database was lost.");
    if (isLost) lose();
    return stream;
  } catch (error) {
    slot.release();
    throw error;
  }
}

function makeStream(follower: Follower, slot: Slot, reader: Reader): EventStream {
  const slow = new AbortController();
  // The first part names the position at which the stream starts, so that a client that loses its
  // connection before the first event still continues there.
  let next: string | null = `retry: ${retryMs}\nid: ${follower.startCursor}\n\n`;
  let sentCursor = follower.startCursor;
  /** Other streams share the list, so it must not be changed. */
  let waiting: readonly FollowedEvent[] = [];
  let taken = 0;
  let isFollowing = false;
  let isEnded = false;
  let deliver: ((part: string | null) => void) | null = null;
  // Nobody reads a stream whose client has gone before the response begins.
  let cancelDeadline = atDeadline(streamTimes.slowAfterMs, cutOff);

  function close(): void {
    isEnded = true;
    next = null;
    waiting = [];
    cancelDeadline();
    opened.delete(stream);
    follower.stop();
    slot.release();
    stopRechecking();
  }

  /** Sends the next part, if there is one and the client is waiting for it. */
  function give(): void {
    if (!deliver) return;
    const part = next ?? takeEvents();
    if (part === null && !isEnded) {
      follow();
      return;
    }
    next = null;
    cancelDeadline();
    if (!isEnded) cancelDeadline = atDeadline(streamTimes.slowAfterMs, cutOff);
    const resolve = deliver;
    deliver = null;
    resolve(part);
  }

  function takeEvents(): string | null {
    let part = "";
    for (; taken < waiting.length && part.length < partBytes; taken++) {
      const { id, payload } = waiting[taken] as FollowedEvent;
      part += `id: ${id}\ndata: ${payload}\n\n`;
      sentCursor = id;
    }
    return part || null;
  }

  function follow(): void {
    cancelDeadline();
    cancelDeadline = atDeadline(streamTimes.heartbeatMs, () => void beat());
    if (isFollowing) return;
    isFollowing = true;
    void follower.next().then((events) => {
      isFollowing = false;
      if (isEnded) return;
      waiting = events;
      taken = 0;
      give();
    });
  }

  /** The cursor moves past events of other types, which may be gone when the client resumes. */
  async function beat(): Promise<void> {
    const pending = deliver;
    const cursor = await follower.cursor().catch(() => null);
    if (isEnded || deliver !== pending) return;
    const hasMoved = cursor !== null && cursor !== sentCursor;
    if (hasMoved) sentCursor = cursor;
    next = hasMoved ? `: heartbeat\nid: ${cursor}\n\n` : ": heartbeat\n\n";
    give();
  }

  function cutOff(): void {
    close();
    slow.abort();
  }

  const stream: EventStream = {
    read: () =>
      new Promise((resolve) => {
        cancelDeadline();
        deliver = resolve;
        give();
      }),
    end: (why) => {
      if (isEnded) return;
      close();
      next = `: ${why}\n\n`;
      if (!deliver) cancelDeadline = atDeadline(streamTimes.slowAfterMs, () => slow.abort());
      give();
    },
    cancel: () => {
      if (isEnded) return;
      close();
      give();
    },
    signal: slow.signal,
  };
  opened.set(stream, reader);
  startRechecking();
  return stream;
}

const opened = new Map<EventStream, Reader>();
let rechecking: NodeJS.Timeout | undefined;

function startRechecking(): void {
  if (rechecking) return;
  const timer = setTimeout(async () => {
    await recheckKeys();
    // All streams may have ended meanwhile, and others may have started a timer of their own.
    if (rechecking !== timer) return;
    rechecking = undefined;
    if (opened.size > 0) startRechecking();
  }, streamTimes.recheckMs).unref();
  rechecking = timer;
}

function stopRechecking(): void {
  if (opened.size > 0) return;
  clearTimeout(rechecking);
  rechecking = undefined;
}

/** Ends the streams of keys that were revoked, suspended, expired or restricted. */
async function recheckKeys(): Promise<void> {
  const known = new Map<string, Promise<KnownKey | null>>();
  const checks = [...opened].map(
    async ([
      stream,
      {
        key: { id, hash },
        scope,
        address,
      },
    ]) => {
      const lookup = known.get(id) ?? findKey(hash);
      known.set(id, lookup);
      const key = await lookup;
      if (key?.movedTo) stream.end("The organization was moved. Reconnect to continue.");
      else if (!key?.scopes.has(scope) || !key.isAllowedFrom(address))
        stream.end("The API key can no longer read this stream.");
    },
  );
  // Without the database nothing is known about keys, and there are no events to read either.
  await Promise.allSettled(checks);
}
