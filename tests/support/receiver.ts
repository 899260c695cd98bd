import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  receivedAt: number;
};

/** Responds to a request whose body was read completely. */
export type Respond = (response: ServerResponse, received: ReceivedRequest) => void;

const ok: Respond = (response) => void response.writeHead(200).end("ok");

/**
 * A real HTTP server on loopback that records all requests. `respond` can be replaced while it
 * runs.
 */
export async function startReceiver(respond: Respond = ok, port = 0) {
  const requests: ReceivedRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const receiver = { url: "", requests, respond, respondWith, connectionCount: 0, received, close };

  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => null);
    if (body === null) return;
    const received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      receivedAt: performance.now(),
    };
    requests.push(received);
    receiver.respond(response, received);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
  });
  server.on("connection", () => {
    receiver.connectionCount++;
  });

  /** Applies to all further requests. */
  function respondWith(status: number, headers: Record<string, string> = {}): void {
    receiver.respond = (response) => void response.writeHead(status, headers).end();
  }

  /** Resolves as soon as that many requests have arrived in total. */
  function received(count: number): Promise<void> {
    if (requests.length >= count) return Promise.resolve();
    return new Promise((resolve) => {
      waiting.push({ count, resolve });
    });
  }

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/**
 * Responds to the first `after` requests and holds all later responses until `release`, which sends
 * them. After that, it responds to all requests.
 */
export function holdResponses(receiver: Receiver, { after = 0 } = {}) {
  const held: ServerResponse[] = [];
  receiver.respond = (response, received) => {
    if (receiver.requests.length > after) held.push(response);
    else ok(response, received);
  };
  const release = () => {
    receiver.respond = ok;
    for (const response of held.splice(0)) response.writeHead(200).end("ok");
  };
  return { release };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** A bare TCP server on loopback, for responses that no HTTP server would send. */
export async function startTcpReceiver(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, url: `http://127.0.0.1:${port}`, openSockets: () => sockets.size, close };
}
