import { once } from "node:events";
import { connect, type Socket } from "node:net";

export type RawConnection = {
  socket: Socket;
  /** Everything that has arrived so far. */
  received: () => string;
  /** Resolves once what has arrived matches. */
  until: (pattern: RegExp) => Promise<string>;
  /** Resolves with everything that arrived once the server has closed the connection. */
  ended: Promise<string>;
};

/** A connection on which a test writes HTTP by itself. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = "";
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const check of waiting) check();
  };
  socket.on("data", (part) => {
    text += part.toString("latin1");
    notify();
  });
  const ended = new Promise<string>((resolve) => {
    const done = () => {
      resolve(text);
      notify();
      socket.destroy();
    };
    socket.once("end", done);
    socket.once("error", done);
    socket.once("close", done);
  });
  await once(socket, "connect");
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        if (pattern.test(text)) resolve(text);
        else if (socket.readableEnded || socket.destroyed)
          reject(new Error(`The connection ended without ${pattern}, after:\n${text}`));
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  return { socket, received: () => text, until, ended };
}

/** The statuses of the responses in a text, in order; interim ones included. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** The head of a request, complete with the empty line. */
export const head = (requestLine: string, headers: Record<string, string | number>): string =>
  [
    requestLine,
    ...Object.entries({ Host: "localhost", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "",
    "",
  ].join("\r\n");
