import { createServer, type Server } from "node:http";
import { Server as TcpServer } from "node:net";
import { attachEdge, type EdgeOptions } from "./edge/attach-edge";
import { closeLingering } from "./edge/connection";
import { endStreams } from "./edge/send-stream";

/** Idle keep-alive connections are closed once no request has arrived on any of them for so long. */
const quietMs = 1_000;

export function createWebServer(options: EdgeOptions): Server {
  const server = createServer();
  attachEdge(server, options);
  return server;
}

/**
 * Stops accepting connections and resolves when the last one has ended, without dropping a request:
 * every response from now on is the last one of its connection and says so. Node's own way would
 * end idle connections immediately, and with them requests that are on their way.
 */
export async function drain(server: Server): Promise<void> {
  let lastRequestAt = performance.now();
  server.prependListener("request", (_request, response) => {
    lastRequestAt = performance.now();
    response.setHeader("Connection", "close");
  });
  const closed = new Promise<void>(
    (resolve) => void TcpServer.prototype.close.call(server, () => resolve()),
  );
  endStreams(server);
  const idle = setInterval(() => {
    if (performance.now() - lastRequestAt < quietMs) return;
    server.closeIdleConnections();
    closeLingering();
  }, quietMs / 10);
  await closed;
  clearInterval(idle);
}
