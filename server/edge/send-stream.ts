import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
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
  // One connection may have all streams of a client. Their number is limited, so none leaks.
  socket.setMaxListeners(0);
  // A client that closes its end is gone. Other requests may be answered after that.
  socket.once("end", disconnect);
  const stop = () => {
    streams.delete(stream);
    socket.off("end", disconnect);
    socket.off("close", stop);
    stream.cancel();
  };
  response.once("close", stop);
  // The response to a pipelined request is not closed with its connection, if it waited for another.
  socket.once("close", stop);
  if (response.destroyed || socket.destroyed || socket.readableEnded) {
    disconnect();
    return stop();
  }
  if (!server.listening) stream.end(restarting);

  for (let part = await stream.read(); part !== null; part = await stream.read()) {
    if (!response.write(part)) await drained(response, socket);
  }
  response.end();
}

/** Resolves once everything was passed to the system, or the client has disconnected. */
function drained(response: ServerResponse, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      socket.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
    socket.on("close", done);
  });
}
