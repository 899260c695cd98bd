import { subscribe } from "node:diagnostics_channel";
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { env } from "@/lib/platform/env";
import { attachEdge } from "./attach-edge";

const withEdge = new WeakSet<Server>();

/**
 * Under `next start` the server is Next's own, and nothing of ours is called before it listens.
 * Node reports each connection before anything is read from it: with the first one, the same edge
 * as in server/web.ts is put on the server.
 */
export function attachToNextServer(): void {
  subscribe("net.server.socket", (message) =>
    adopt((message as { socket: Socket & { server?: Server } }).socket.server),
  );
  // Of a connection that was there before.
  subscribe("http.server.request.start", (message) =>
    adopt((message as { server: Server }).server),
  );
}

function adopt(server: Server | undefined): void {
  if (!(server instanceof HttpServer) || withEdge.has(server)) return;
  withEdge.add(server);
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  // Node takes requests with an `Upgrade` header away from the server that has a listener for them,
  // and Next has no use for them.
  server.removeAllListeners("upgrade");
  attachEdge(server, {
    servePages: (request: IncomingMessage, response: ServerResponse) => {
      for (const listener of listeners) listener.call(server, request, response);
    },
    trustedProxyHops: env().TRUSTED_PROXY_HOPS,
  });
}
