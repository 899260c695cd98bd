import { subscribe } from "node:diagnostics_channel";
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { env } from "@/lib/platform/env";
import { attachEdge } from "./attach-edge";

const withEdge = new WeakSet<Server>();

/**
 * Under `next start` the server is Next's own, and none of our code runs before it listens. Node
 * reports each connection before anything is read from it. The first one attaches the same edge as
 * in server/web.ts to the server.
 */
export function attachToNextServer(): void {
  subscribe("net.server.socket", (message) => {
    const { server, parser } = (message as { socket: Accepted }).socket;
    adopt(server, parser);
  });
  // For a connection that was already open.
  subscribe("http.server.request.start", (message) =>
    adopt((message as { server: Server }).server),
  );
}

type Parser = { maxHeaderPairs: number };
type Accepted = Socket & { server?: Server; parser?: Parser };

function adopt(server: Server | undefined, parser?: Parser): void {
  if (!(server instanceof HttpServer) || withEdge.has(server)) return;
  withEdge.add(server);
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  // If a server has an upgrade listener, Node passes requests with an `Upgrade` header only to it,
  // and Next ignores them.
  server.removeAllListeners("upgrade");
  attachEdge(server, {
    servePages: (request: IncomingMessage, response: ServerResponse) => {
      for (const listener of listeners) listener.call(server, request, response);
    },
    trustedProxyHops: env().TRUSTED_PROXY_HOPS,
  });
  // The parser of this connection already has the server's earlier limit.
  if (parser) parser.maxHeaderPairs = 0;
}
