import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { acceptsUpload, dispatch } from "@/lib/api/dispatch";
import { isStream, type Outgoing, type Wire } from "@/lib/api/pipeline";
import { type ApiRequest, lateCode } from "@/lib/api/read-request";
import { multipart } from "@/lib/api/read-upload";
import { plainAddress } from "@/lib/platform/client-address";
import { endOfTurn } from "@/lib/platform/end-of-turn";
import { type AppError, expectationFailed, requestTimeout } from "@/lib/platform/errors";
import { noteRequest } from "@/lib/platform/loopback-exposure";
import { cameThroughProxy } from "@/lib/platform/proxy-detection";
import { noteUntrustedProxy } from "@/lib/platform/untrusted-proxy";
import { probes } from "@/lib/readiness/service";
import { acceptsDashboardUpload, bufferBody } from "./buffer-body";
import { problemOf, refuse, sendProblem, trackRequest } from "./connection";
import { findFault, isBelow, isOfApi, malformed, serverMethods } from "./find-fault";
import { toPlainRequest } from "./plain-request";
import { preparePage } from "./prepare-page";
import { refuseForgedAction } from "./refuse-forged-action";
import { endStreamsOnClose, sendStream } from "./send-stream";

const headersDeadlineMs = 15_000;

/** How often Node checks for late connections. Its default would add up to 30 s. */
const lateCheckIntervalMs = 1_000;

const requestTimeoutMs = 30_000;

const uploadTimeoutMs = 120_000;

const keepAliveTimeoutMs = 65_000;

/** The system takes a shorter response at once, whether its client reads or not. */
const longText = 64 * 1_024;

export type EdgeOptions = {
  /** Serves everything that is not the API. */
  servePages: (request: IncomingMessage, response: ServerResponse) => unknown;
  trustedProxyHops: number;
  /** How long a body other than an upload may take. */
  bodyTimeoutMs?: number;
  headersTimeoutMs?: number;
};

/**
 * Attaches the edge to a server: limits of time and size, the client's address, and HTTP errors as
 * problem+json. Requests for the API and the probes go straight to their handlers, everything else
 * goes to Next.
 */
export function attachEdge(
  server: Server,
  {
    servePages,
    trustedProxyHops,
    bodyTimeoutMs = requestTimeoutMs,
    headersTimeoutMs = headersDeadlineMs,
  }: EdgeOptions,
): void {
  Object.assign(server, {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: lateCheckIntervalMs,
    requestTimeout: uploadTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Both cases get a response here. Node would respond with an empty 400 to the first, and not at
    // all to the second.
    requireHostHeader: false,
    httpAllowHalfOpen: true,
    // Node would drop the headers after the 1,000th, such as the client's address or the length of
    // the body. Its limit for the size of all headers is enough.
    maxHeadersCount: 0,
  });
  // A server that listens already checks at its earlier interval until it is set up again.
  if (server.listening)
    for (const listener of server.listeners("listening"))
      if (listener.name === "setupConnectionsTracking") listener.call(server);
  endStreamsOnClose(server);
  const serveApi = listenerFor(server, (request, incoming) => dispatch(request, wireOf(incoming)));
  const serveMcp = listenerFor(server, async (request) =>
    (await import("@/lib/api/mcp")).respondToMcp(request),
  );

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    // A client may send an absolute URL, as to a proxy.
    const url = request.url?.replace(/^https?:\/\/[^/]*/i, "") || "/";
    request.url = url;
    trackRequest(request, response, isUpload(request, url) ? undefined : bodyTimeoutMs);
    noteRequest(Object.entries(request.headers));
    setClientAddress(request, trustedProxyHops);
    if (url === "*" && request.method === "OPTIONS")
      return void response.writeHead(204, { Allow: serverMethods }).end();
    const fault = findFault(request, url);
    if (fault) return sendProblem(request, response, fault);
    const probe = probes[url as keyof typeof probes];
    if (probe && (request.method === "GET" || request.method === "HEAD"))
      return void respondToProbe(probe, response);
    // The target of the rewrite in next.config.js must not be a second address of the API.
    if (isBelow("/api/v1", url)) return void response.writeHead(404).end();
    if (isOfApi(url)) return void serveApi(request, response);
    if (isMcp(url)) return void serveMcp(request, response);
    // Below /api, too: Next serves `/api/live` as a page of the organization "api".
    if (refuseForgedAction(request, response)) return;
    preparePage(request, response, url);
    bufferBody(request, response, () => void servePages(request, response));
  };

  server.on("request", serve);
  server.on("checkContinue", (request, response) => {
    continueWhenRead(request, response);
    serve(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    trackRequest(request, response);
    sendProblem(request, response, expectationFailed());
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    refuse(socket, refusalOf(error), error);
  });
}

function refusalOf({ code }: NodeJS.ErrnoException): AppError {
  if (code === lateCode) return requestTimeout();
  if (code !== "HPE_HEADER_OVERFLOW") return malformed("The request is not valid HTTP.");
  return malformed(`The URL and the headers have more than ${maxHeaderSize / 1_024} KiB.`);
}

type RawRequest = Pick<IncomingMessage, "rawHeaders">;

function listenerFor(
  server: Server,
  handle: (request: ApiRequest, incoming: RawRequest) => Promise<Outgoing>,
) {
  const respond = async (
    request: ApiRequest,
    incoming: RawRequest,
    outgoing: Pick<ServerResponse, "writeHead">,
  ) => {
    const { status, headers, body } = await handle(request, incoming);
    if (!isStream(body)) await endOfTurn();
    // Checked only now: the server may have started to stop since the request arrived, and the body
    // may be unread.
    if (!server.listening || !(incoming as IncomingMessage).complete) headers.Connection = "close";
    if (isStream(body)) {
      const response = outgoing as ServerResponse;
      response.writeHead(status, headers);
      return sendStream(body, server, { request: incoming as IncomingMessage, response });
    }
    // A text that waits for its client would be in memory twice, and its bytes not counted.
    const sent = typeof body === "string" && body.length > longText ? Buffer.from(body) : body;
    if (sent !== null) headers["Content-Length"] = String(Buffer.byteLength(sent));
    outgoing.writeHead(status, headers).end(sent);
  };
  const throughBridge = getRequestListener(
    async (request, { incoming, outgoing }) => {
      await respond(request, incoming, outgoing as ServerResponse);
      return RESPONSE_ALREADY_SENT;
    },
    {
      overrideGlobalObjects: false,
      // connection.ts handles unread bodies.
      autoCleanupIncoming: false,
      hostname: "localhost",
      errorHandler: () => {
        const { status, headers, body } = problemOf(
          malformed("The request is not valid HTTP."),
          "",
        );
        return new Response(body, { status, headers });
      },
    },
  );
  return (incoming: IncomingMessage, outgoing: ServerResponse): Promise<unknown> => {
    const request = toPlainRequest(incoming);
    return request ? respond(request, incoming, outgoing) : throughBridge(incoming, outgoing);
  };
}

const isMcp = (url: string) => isBelow("/mcp", url) && !url.startsWith("/mcp/");

/**
 * Whether the body goes to a file as it arrives. All others are in memory, so they count as
 * incomplete bodies and get less time. Node has one limit for all requests, which is that of
 * uploads.
 */
function isUpload({ method = "", headers }: IncomingMessage, url: string): boolean {
  if (!multipart.test(headers["content-type"] ?? "")) return false;
  const [path = ""] = url.split("?");
  return acceptsDashboardUpload(path) || acceptsUpload(method, path);
}

/** Sends `100 Continue` when the body is first read, so that a refusal comes without it. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const { _read: read } = request;
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) response.writeContinue();
    read.call(request, size);
  };
}

/**
 * Sets `X-Forwarded-For` to the socket's address, or to the one that the outermost trusted proxy
 * saw. Any other claim by the client is dropped.
 */
function setClientAddress(request: IncomingMessage, trustedHops: number): void {
  const socketAddress = request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "unknown";
  const claimed = String(request.headers["x-forwarded-for"] ?? "");
  if (trustedHops === 0)
    noteUntrustedProxy({ url: request.url ?? "", claimed, peer: socketAddress });
  const hops = [...claimed.split(",").map((hop) => hop.trim()), socketAddress].filter(
    (hop) => hop !== "",
  );
  const address = plainAddress(hops.at(-1 - trustedHops) ?? hops[0] ?? socketAddress);

  const { rawHeaders } = request;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() === "x-forwarded-for") rawHeaders.splice(index, 2);
  }
  // The client's claim is about to be replaced, but pages must still know that a proxy was
  // involved.
  if (cameThroughProxy(Object.entries(request.headers))) {
    rawHeaders.push("X-Forwarded-Through", "proxy");
    request.headers["x-forwarded-through"] = "proxy";
  }
  rawHeaders.push("X-Forwarded-For", address);
  request.headers["x-forwarded-for"] = address;
}

function wireOf({ rawHeaders }: RawRequest): Wire {
  const keys = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === "idempotency-key",
  );
  return { hasRepeatedIdempotencyKey: keys.length > 1 };
}

/** Load balancers request these every few seconds, so they must not depend on Next. */
async function respondToProbe(
  probe: (typeof probes)[keyof typeof probes],
  response: ServerResponse,
): Promise<void> {
  const { status, body } = await probe();
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(JSON.stringify(body));
}
