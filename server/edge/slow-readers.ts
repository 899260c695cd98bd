import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * How much of their responses clients may leave unread. A connection is cut off if its client takes
 * none of the waiting bytes for `graceMs` and the time they need at `bytesPerMs`. While all
 * connections together have more than `maximumBytes`, those with the most unread bytes are cut off.
 * Tests lower these.
 */
export const unreadLimits = {
  graceMs: 30_000,
  bytesPerMs: 32,
  /**
   * Up to this much of what the system has taken may still wait for the client, too. Over loopback,
   * Linux takes more only when the client has read another 1.4 MB.
   */
  systemBytes: 2 * 1_024 ** 2,
  maximumBytes: 128 * 1_024 ** 2,
};

/** The responses that a connection still has to send, and how far its client has read. */
export type Responses = {
  exchanges: readonly { response: ServerResponse }[];
  /**
   * Set while written bytes wait for the client: how many bytes the system has taken so far, and
   * when it must have taken more, as a value of `performance.now()`.
   */
  unread: { takenBytes: number; untilMs: number } | null;
};

/**
 * A response is in memory until its client reads it, and that of a list can have megabytes. Without
 * this, a few hundred clients that never read would use up the memory of the process.
 * @param nowMs a value of `performance.now()`
 */
export function cutOffSlowReaders(open: ReadonlyMap<Socket, Responses>, nowMs: number): void {
  const { graceMs, bytesPerMs, systemBytes, maximumBytes } = unreadLimits;
  let total = 0;
  const waiting: [Socket, unreadBytes: number][] = [];
  for (const [socket, connection] of open) {
    const unreadBytes = socket.destroyed ? 0 : unreadBytesOf(socket, connection);
    if (unreadBytes === 0) {
      connection.unread = null;
      continue;
    }
    const takenBytes = takenBytesOf(socket);
    // Only reading extends the time, not another response.
    if (connection.unread?.takenBytes !== takenBytes) {
      const waitingBytes = unreadBytes + Math.min(takenBytes, systemBytes);
      connection.unread = { takenBytes, untilMs: nowMs + graceMs + waitingBytes / bytesPerMs };
    }
    if (connection.unread.untilMs < nowMs) {
      socket.destroy();
      continue;
    }
    total += unreadBytes;
    waiting.push([socket, unreadBytes]);
  }
  if (total <= maximumBytes) return;

  for (const [socket, unreadBytes] of waiting.toSorted((one, other) => other[1] - one[1])) {
    if (total <= maximumBytes) return;
    total -= unreadBytes;
    socket.destroy();
  }
}

/** Responses to pipelined requests wait behind the first one, without a socket. */
function unreadBytesOf(socket: Socket, { exchanges }: Responses): number {
  const { writableLength } = socket;
  let bytes = writableLength;
  for (const { response } of exchanges)
    bytes += response.writableLength - (response.socket ? writableLength : 0);
  return bytes;
}

/**
 * What the system has taken of all that was written. `writableLength` is not enough: it changes only
 * when a whole write is done, and a single one can take minutes. Node's own timeout of sockets uses
 * `writeQueueSize` for the same reason; its types lack both.
 */
function takenBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
