import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { toProblem } from "@/lib/api/problem";
import { lateCode } from "@/lib/api/read-request";
import type { AppError } from "@/lib/platform/errors";
import { meter } from "@/lib/platform/meter";
import { newId } from "@/lib/resources/ids";
import { cutOffSlowReaders, type Responses } from "./slow-readers";

/** How much of an unneeded body is still read, so that the sender can receive the response. */
const lingerBytes = 64 * 1_024 ** 2;
const lingerMs = 30_000;

/**
 * Bodies are in memory until they are complete. While the incomplete ones of all connections
 * together have more than this, the largest are refused as late. Tests lower it.
 */
export const incompleteBodies = { maximumBytes: 64 * 1_024 ** 2 };

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  /** When the request's body must have arrived, as a value of `performance.now()`. */
  bodyUntilMs: number;
  /** What had arrived on the connection before the request. */
  bytesBefore: number;
};

type Connection = Responses & {
  /** Requests whose response is incomplete, oldest first. */
  exchanges: Exchange[];
  last: Exchange | null;
  /**
   * How many bytes had arrived when the last response was complete. The next request's body is
   * counted from here, because its first part often arrives together with its head.
   */
  answeredBytes: number;
  /** No more requests are read: the connection ends after the outstanding responses. */
  isEnding: boolean;
  /** The final response, for input that never became a request. */
  refusal: AppError | null;
};

const connections = new WeakMap<Socket, Connection>();
/** The open connections. */
const open = new Map<Socket, Connection>();
/** Connections that only wait for the end of a discarded body. */
const lingering = new Set<Socket>();

function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  lingerBeforeClosing(socket);
  const connection: Connection = {
    ...{ exchanges: [], last: null, answeredBytes: 0, unread: null },
    ...{ isEnding: false, refusal: null },
  };
  connections.set(socket, connection);
  if (!socket.destroyed) watch(socket, connection);
  return connection;
}

const tickMs = 250;
let timer: NodeJS.Timeout | undefined;

/**
 * All connections share one timer. Nearly every body arrives and leaves immediately, so a timer for
 * each would be a waste.
 */
function watch(socket: Socket, connection: Connection): void {
  open.set(socket, connection);
  timer ??= setInterval(() => {
    breakOffLateBodies();
    cutOffSlowReaders(open, performance.now());
  }, tickMs).unref();
  socket.once("close", () => {
    open.delete(socket);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
}

function breakOffLateBodies(): void {
  const nowMs = performance.now();
  let heldBytes = 0;
  const incomplete: { exchange: Exchange; bytes: number }[] = [];
  for (const [{ bytesRead }, { last }] of open) {
    // An upload goes to a file as it arrives, and has no such time.
    if (!last || last.bodyUntilMs === Number.POSITIVE_INFINITY) continue;
    if (last.bodyUntilMs <= nowMs) {
      breakOffAsLate(last);
      continue;
    }
    // The rest of a refused body is discarded as it arrives.
    if (last.request.complete || last.response.headersSent) continue;
    const bytes = bytesRead - last.bytesBefore;
    heldBytes += bytes;
    incomplete.push({ exchange: last, bytes });
  }
  if (heldBytes <= incompleteBodies.maximumBytes) return;

  // Not simply the oldest: a client that keeps sending large bodies would displace all others.
  incomplete.sort(
    (one, other) =>
      other.bytes - one.bytes || one.exchange.bodyUntilMs - other.exchange.bodyUntilMs,
  );
  for (const { exchange, bytes } of incomplete) {
    if (heldBytes <= incompleteBodies.maximumBytes) return;
    heldBytes -= bytes;
    breakOffAsLate(exchange);
  }
}

function breakOffAsLate(exchange: Exchange): void {
  exchange.bodyUntilMs = Number.POSITIVE_INFINITY;
  breakOff(exchange, Object.assign(new Error("the body is late"), { code: lateCode }));
}

/**
 * Called first for every request.
 * @param bodyTimeoutMs how long its body may take
 */
export function trackRequest(
  request: IncomingMessage,
  response: ServerResponse,
  bodyTimeoutMs = Number.POSITIVE_INFINITY,
): void {
  const { socket } = request;
  const connection = connectionOf(socket);
  const exchange = {
    ...{ request, response, bytesBefore: connection.answeredBytes },
    bodyUntilMs: performance.now() + bodyTimeoutMs,
  };
  connection.exchanges.push(exchange);
  connection.last = exchange;
  response.once("close", () => {
    connection.exchanges.splice(connection.exchanges.indexOf(exchange), 1);
    connection.answeredBytes = socket.bytesRead;
    endWhenAnswered(socket, connection);
  });
}

/**
 * Refuses input that is late or not valid HTTP. Requests accepted before it get their responses
 * first, in order.
 */
export function refuse(socket: Socket, error: AppError, cause: Error): void {
  const connection = connectionOf(socket);
  if (connection.isEnding) return;
  connection.isEnding = true;
  const { last } = connection;
  if (last && !last.request.complete) breakOff(last, cause);
  else connection.refusal = error;
  endWhenAnswered(socket, connection);
}

/** The rest of this request's body will not arrive. Its handler gets an error and responds. */
function breakOff({ request, response }: Exchange, cause: Error): void {
  if (request.complete || response.writableEnded) return;
  response.shouldKeepAlive = false;
  // Node would destroy the socket, and the response with it.
  request._destroy = (error, callback) =>
    callback(request.listenerCount("error") > 0 ? error : null);
  request.destroy(cause);
}

function endWhenAnswered(socket: Socket, { isEnding, exchanges, refusal }: Connection): void {
  if (!isEnding || exchanges.length > 0) return;
  if (!socket.writable) return void socket.destroy();
  socket.end(refusal ? rawProblem(refusal) : "");
  linger(socket, () => socket.destroy());
}

/**
 * When Node closes a connection after a response, clients that are still sending would get a reset
 * instead of the response. So the rest of the body is read and discarded first, within limits.
 */
function lingerBeforeClosing(socket: Socket): void {
  const close = socket.destroySoon;
  socket.destroySoon = () => {
    const { last } = connectionOf(socket);
    if (!last || last.request.complete || socket.destroyed) return close.call(socket);
    let left = lingerBytes;
    const over = linger(socket, () => close.call(socket));
    last.request.push = (chunk: Buffer | null) => {
      left -= chunk?.length ?? 0;
      if (chunk === null || left < 0) over();
      return true;
    };
    socket.end();
    socket.resume();
  };
}

/** @returns a function that ends the wait early */
function linger(socket: Socket, close: () => void): () => void {
  lingering.add(socket);
  const timer = setTimeout(close, lingerMs);
  socket.once("close", () => {
    clearTimeout(timer);
    lingering.delete(socket);
  });
  return close;
}

/** At shutdown, discarded bodies are not waited for. */
export function closeLingering(): void {
  for (const socket of lingering) socket.destroy();
}

/**
 * Responds to a request that is refused before it is handled. Only the first refusal is sent: while
 * it waits for the response to an earlier request, the client can disconnect, which fails the body.
 */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  error: AppError,
): void {
  if (response.headersSent) return;
  const [path = ""] = (request.url ?? "").split("?");
  const { status, headers, body } = problemOf(error, path);
  if (!request.complete) headers.Connection = "close";
  response.writeHead(status, headers).end(body);
}

function rawProblem(error: AppError): string {
  const { status, headers, body } = problemOf(error, "");
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

export function problemOf(
  error: AppError,
  path: string,
): { status: number; headers: Record<string, string>; body: string } {
  const requestId = newId("request");
  const { status, headers, body } = toProblem(error, path, requestId);
  meter()?.count("requests", { operation: "edge", status: String(status) });
  return {
    status,
    body,
    headers: {
      ...headers,
      "X-Request-Id": requestId,
      "Content-Type": "application/problem+json",
      "Content-Length": String(Buffer.byteLength(body)),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  };
}
