import { createServer, type Server } from "node:http";
import { Server as TcpServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { attachEdge, type EdgeOptions } from "./edge/attach-edge";
import { closeLingering } from "./edge/connection";
import { endStreams } from "./edge/send-stream";

/** Grace period before idle keep-alive connections are closed. */
const drainMs = 1_000;

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
  server.prependListener(
    "request",
    (_request, response) => void response.setHeader("Connection", "close"),
  );
  const closed = new Promise<void>(
    (resolve) => void TcpServer.prototype.close.call(server, () => resolve()),
  );
  endStreams(server);
  await Promise.race([closed, sleep(drainMs)]);
  const idle = setInterval(() => {
    server.closeIdleConnections();
    closeLingering();
  }, drainMs / 10);
  await closed;
  clearInterval(idle);
}
