import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { EventStream } from "@/lib/api/event-stream";

/** The open streams of each server, which end when it closes: their clients connect to another. */
const streamsOf = new WeakMap<Server, Set<EventStream>>();

const restarting = "The server is restarting. Reconnect to continue.";

/** Called once for each server, before it serves. */
export function endStreamsOnClose(server: Server): void {
  const { close } = server;
  server.close = (...parameters) => {
    endStreams(server);
    return close.apply(server, parameters);
  };
}

/** `close` waits for every response to end, and streams do not end on their own. */
export function endStreams(server: Server): void {
  for (const stream of streamsOf.get(server) ?? []) stream.end(restarting);
}

/** Sends a stream, part by part, until it ends or the client disconnects. */
export async function sendStream(
  stream: EventStream,
  server: Server,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { socket } = request;
  const streams = streamsOf.get(server) ?? new Set();
  streamsOf.set(server, streams.add(stream));
  const disconnect = () => void response.destroy();
  stream.signal.addEventListener("abort", disconnect);
  // A client that closes its end is gone. Other requests may be answered after that.
  socket.once("end", disconnect);
  response.once("close", () => {
    streams.delete(stream);
    socket.off("end", disconnect);
    stream.cancel();
  });
  if (response.destroyed || socket.readableEnded) return disconnect();
  if (!server.listening) stream.end(restarting);

  for (let part = await stream.read(); part !== null; part = await stream.read()) {
    if (!response.write(part)) await drained(response);
  }
  response.end();
}

/** Resolves once everything was passed to the system, or the client has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
