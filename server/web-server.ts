import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as TcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { dispatch } from "@/lib/api/dispatch";
import { toProblem } from "@/lib/api/problem";
import { toResponse, type Wire } from "@/lib/api/respond";
import { AppError } from "@/lib/errors";
import { isFromElsewhere, noteRequest } from "@/lib/exposure";
import { newId } from "@/lib/ids";
import { probes } from "@/lib/readiness";

const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;
const uploadTimeoutMs = 120_000;
const keepAliveTimeoutMs = 65_000;
/** After the end of this, whoever kept a connection and says nothing is taken at his word. */
const drainMs = 1_000;

type Options = {
  /** Whatever is not the API. */
  servePages: (request: IncomingMessage, response: ServerResponse) => unknown;
  trustedProxyHops: number;
  /** Until when a body is there that is no upload. */
  bodyTimeoutMs?: number;
};

/** One listener, two ways through it: the API and the probes go straight to what they ask for, everything else goes to Next. */
export function createWebServer({ servePages, trustedProxyHops, bodyTimeoutMs = requestTimeoutMs }: Options): Server {
  const serveApi = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { status, headers, body } = await dispatch(request, wireOf(incoming));
      // Asked only now, because the server may have begun to stop since the request came.
      if (!server.listening) headers.Connection = "close";
      if (body === null) outgoing.writeHead(status, headers).end();
      else outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false, hostname: "localhost", errorHandler: () => toResponse(malformed("The request is not valid HTTP.")) },
  );
  const timeouts = { headersTimeout: headersTimeoutMs, requestTimeout: uploadTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs };

  const server = createServer(timeouts, (request, response) => {
    noteRequest(Object.entries(request.headers));
    setClientAddress(request, trustedProxyHops);
    limitTime(request, bodyTimeoutMs);
    // A client may name the whole address, as to a proxy.
    request.url = request.url?.replace(/^https?:\/\/[^/]*/i, "") || "/";
    const probe = probes[request.url as keyof typeof probes];
    if (probe && (request.method === "GET" || request.method === "HEAD")) void answerProbe(probe, response);
    // What next.config.js leads the API to under Next's own server is no second address of it here.
    else if (isBelow("/api/v1", request.url)) response.writeHead(404).end();
    else if (!isBelow("/v1", request.url)) void servePages(request, response);
    else if (request.method === "TRACE") answerTrace(request, response);
    else void serveApi(request, response);
  });
  server.on("clientError", refuse);
  return server;
}

/**
 * Stops accepting connections and resolves when the last one has ended, without dropping a request: every answer from now
 * on is the last one of its connection and says so. Node's own way would end idle connections at once, and with them
 * requests that are on their way.
 */
export async function drain(server: Server): Promise<void> {
  server.prependListener("request", (_request, response) => void response.setHeader("Connection", "close"));
  const closed = new Promise<void>((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
  await Promise.race([closed, sleep(drainMs)]);
  const idle = setInterval(() => server.closeIdleConnections(), drainMs / 10);
  await closed;
  clearInterval(idle);
}

/** Node's own limit is one for all requests, so it is that of uploads; whatever else has a body gets less. */
function limitTime(request: IncomingMessage, timeoutMs: number): void {
  const { "content-length": length, "transfer-encoding": encoding, "content-type": type } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== "0");
  if (!hasBody || /^multipart\/form-data/i.test(type ?? "")) return;
  const late = Object.assign(new Error("the body is late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  const timer = setTimeout(() => refuse(late, request.socket), timeoutMs);
  const clear = () => clearTimeout(timer);
  request.once("end", clear).once("close", clear);
}

const isBelow = (base: string, url: string) => url.startsWith(base) && /^([/?]|$)/.test(url.slice(base.length));

/**
 * Puts the truth into `X-Forwarded-For`: the socket's address, or the one that the outermost trusted proxy saw. Whatever
 * else a client claims about where it comes from is dropped.
 */
function setClientAddress(request: IncomingMessage, trustedHops: number): void {
  const socketAddress = request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "unknown";
  const claimed = String(request.headers["x-forwarded-for"] ?? "");
  const hops = [...claimed.split(",").map((hop) => hop.trim()), socketAddress].filter((hop) => hop !== "");
  const address = hops.at(-1 - trustedHops) ?? hops[0] ?? socketAddress;

  const { rawHeaders } = request;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() === "x-forwarded-for") rawHeaders.splice(index, 2);
  }
  // A client's own claim is about to be replaced; that a proxy was on the way must still be known to the pages.
  if (isFromElsewhere(Object.entries(request.headers))) {
    rawHeaders.push("X-Forwarded-Through", "proxy");
    request.headers["x-forwarded-through"] = "proxy";
  }
  rawHeaders.push("X-Forwarded-For", address);
  request.headers["x-forwarded-for"] = address;
}

function wireOf({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): Wire {
  const keys = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "idempotency-key");
  return { hasRepeatedIdempotencyKey: keys.length > 1 };
}

/** Load balancers ask for these every few seconds, and nobody should need the pages for it. */
async function answerProbe(probe: (typeof probes)[keyof typeof probes], response: ServerResponse): Promise<void> {
  const { status, body } = await probe();
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
  response.end(JSON.stringify(body));
}

/** The one method for which there can be no `Request`. */
function answerTrace(request: IncomingMessage, response: ServerResponse): void {
  const requestId = newId("request");
  const error = new AppError("method-not-allowed", "TRACE is not supported.", {}, { Allow: "GET, HEAD, POST, PATCH, DELETE" });
  const problem = toProblem(error, request.url ?? "", requestId);
  response
    .writeHead(problem.status, { ...problem.headers, "X-Request-Id": requestId, "Content-Type": "application/problem+json" })
    .end(problem.body);
}

/** What cannot be read as HTTP at all is told so, as far as the socket still takes it. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const { headers, body } = malformed(isLate ? "The request took too long to arrive." : "The request is not valid HTTP.");
  const lines = Object.entries({ ...headers, Connection: "close", "Content-Length": Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

function malformed(detail: string) {
  const requestId = newId("request");
  const { status, body } = toProblem(new AppError("malformed-request", detail), "", requestId);
  return { status, body, headers: { "X-Request-Id": requestId, "Content-Type": "application/problem+json" } };
}
