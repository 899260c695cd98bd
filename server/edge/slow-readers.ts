import type { Socket } from "node:net";
import type { Connection } from "./connection";

/**
 * How much of their responses clients may leave unread. A connection on which nothing moves for
 * `graceMs`, and for the time that its bytes take at `bytesPerMs`, is cut off. So are those with the
 * most unread bytes, while all connections together have more than `maximumBytes`. Tests lower these.
 */
export const unreadLimits = { graceMs: 30_000, bytesPerMs: 32, maximumBytes: 128 * 1_024 ** 2 };

/**
 * A response is in memory until its client reads it, and that of a list can have megabytes. Without
 * this, a few hundred clients that never read would use up the memory of the process.
 */
export function cutOffSlowReaders(open: ReadonlyMap<Socket, Connection>): void {
  const nowMs = performance.now();
  const { graceMs, bytesPerMs, maximumBytes } = unreadLimits;
  let total = 0;
  const waiting: [Socket, unreadBytes: number][] = [];
  for (const [socket, connection] of open) {
    const unreadBytes = unreadBytesOf(socket, connection);
    if (unreadBytes !== connection.unreadBytes) {
      connection.unreadBytes = unreadBytes;
      connection.unreadUntilMs = nowMs + graceMs + unreadBytes / bytesPerMs;
    }
    if (unreadBytes === 0) continue;
    if (connection.unreadUntilMs < nowMs) {
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
function unreadBytesOf(socket: Socket, { exchanges }: Connection): number {
  const { writableLength } = socket;
  let bytes = writableLength;
  for (const { response } of exchanges)
    bytes += response.writableLength - (response.socket ? writableLength : 0);
  return bytes;
}
