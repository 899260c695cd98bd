import { connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import type { OutboundErrorCode } from "@/lib/platform/outbound-http/outbound-request";
import { expiredCertificate, selfSignedCertificate } from "./certificates";
import { startTcpReceiver } from "./receiver";

// One hostile receiver of each kind. They use bare sockets, because no HTTP server would respond
// like this.

type Outcome = { statusCode: number } | { errorCode: OutboundErrorCode };
type Running = { url: string; openSockets: () => number; close: () => Promise<void> };
type Options = {
  /** How long the slow but healthy receiver takes to respond. */
  slowMs?: number;
};
type Exhibit = { outcome: Outcome; open: (options: Options) => Promise<Running> };

const dripMs = 20;
const bombBytes = 20_000_000;
const endlessPart = "y".repeat(65_536);

/** Every kind of receiver, with the outcome of an attempt to reach it. */
export const gallery = {
  "never accepts a connection": { outcome: { errorCode: "timeout" }, open: openUnaccepting },
  "accepts and stays silent": onConnection({ errorCode: "timeout" }, () => {}),
  "sends 1xx responses forever": onRequest({ errorCode: "timeout" }, (socket) =>
    drip(socket, "HTTP/1.1 102 Processing\r\n\r\n"),
  ),
  "drips its headers": onRequest({ errorCode: "timeout" }, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nx-long: ");
    drip(socket, "h");
  }),
  "drips its body": onRequest({ errorCode: "timeout" }, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n");
    drip(socket, "z");
  }),
  "resets immediately": onConnection(
    { errorCode: "connection_reset" },
    (socket) => void socket.resetAndDestroy(),
  ),
  "closes without a word": onRequest(
    { errorCode: "connection_reset" },
    (socket) => void socket.end(),
  ),
  "closes in the middle of its body": onRequest(
    { errorCode: "connection_reset" },
    (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"),
  ),
  "does not speak HTTP": onRequest(
    { errorCode: "invalid_response" },
    (socket) => void socket.end("220 smtp.example.com ESMTP\r\n"),
  ),
  "sends 30 KB of headers": onRequest(
    { errorCode: "invalid_response" },
    (socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${"h".repeat(30_000)}\r\n\r\n`),
  ),
  "responds to TLS with garbage": overTls(
    onRequest(
      { errorCode: "tls_error" },
      (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ),
  ),
  "has an expired certificate": certifiedBy(expiredCertificate),
  "has a self-signed certificate": certifiedBy(selfSignedCertificate),
  "sends an endless body": onRequest({ statusCode: 200 }, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const pump = () => {
      while (socket.writable && socket.write(endlessPart));
    };
    socket.on("drain", pump);
    pump();
  }),
  "sends a gzip bomb": { outcome: { statusCode: 200 }, open: openBomb },
  "sends NUL and invalid UTF-8": onRequest({ statusCode: 200 }, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 6\r\n\r\n");
    socket.end(Buffer.from([0x61, 0x00, 0x62, 0xff, 0xfe, 0x63]));
  }),
  "redirects to itself": always(302, "Found", { location: "/" }),
  "asks to wait for a billion seconds": always(429, "Too Many Requests", {
    "retry-after": "1000000000",
  }),
  "asks for less": always(429, "Too Many Requests"),
  "is gone": always(410, "Gone"),
  fails: always(500, "Internal Server Error"),
  "is slow but well": onRequest({ statusCode: 200 }, (socket, { slowMs = 200 }) => {
    setTimeout(
      () =>
        socket.writable &&
        socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
      slowMs,
    ).unref();
  }),
} satisfies Record<string, Exhibit>;

export type Kind = keyof typeof gallery;
export const kinds = Object.keys(gallery) as Kind[];

/** One receiver of that kind on loopback, until it is closed. */
export async function openHostile(kind: Kind, options: Options = {}) {
  const { outcome, open }: Exhibit = gallery[kind];
  return { kind, outcome, ...(await open(options)) };
}

/** `serve` gets the socket as soon as it is accepted. */
function onConnection(
  outcome: Outcome,
  serve: (socket: Socket, options: Options) => void,
): Exhibit {
  return { outcome, open: (options) => startTcpReceiver((socket) => serve(socket, options)) };
}

/**
 * `serve` gets the socket when the first bytes of a request are there; what follows them is
 * dropped, a second request too.
 */
function onRequest(outcome: Outcome, serve: (socket: Socket, options: Options) => void): Exhibit {
  return onConnection(
    outcome,
    (socket, options) => void socket.once("data", () => serve(socket, options)),
  );
}

function always(statusCode: number, reason: string, headers: Record<string, string> = {}): Exhibit {
  const lines = Object.entries({ ...headers, "content-length": 0, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return onRequest(
    { statusCode },
    (socket) => void socket.end(`HTTP/1.1 ${statusCode} ${reason}\r\n${lines.join("")}\r\n`),
  );
}

function overTls({ outcome, open }: Exhibit): Exhibit {
  const withOtherScheme = (running: Running) => ({
    ...running,
    url: running.url.replace("http:", "https:"),
  });
  return { outcome, open: async (options) => withOtherScheme(await open(options)) };
}

/** Would respond with 200 if a client accepted the certificate. */
function certifiedBy(certificate: { key: string; cert: string }): Exhibit {
  const serve = (socket: Socket) => {
    const encrypted = new TLSSocket(socket, { isServer: true, ...certificate }).on(
      "error",
      () => {},
    );
    encrypted.once("data", () => encrypted.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
  };
  return overTls(onConnection({ errorCode: "tls_error" }, serve));
}

function drip(socket: Socket, drop: string): void {
  const timer = setInterval(
    () => (socket.writable ? socket.write(drop) : clearInterval(timer)),
    dripMs,
  );
}

/** Made before the first request, because making it takes a while. */
function openBomb(options: Options): Promise<Running> {
  const bomb = gzipSync(Buffer.alloc(bombBytes));
  const serve = (socket: Socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
    );
    socket.end(bomb);
  };
  return onRequest({ statusCode: 200 }, serve).open(options);
}

/**
 * Listens in a thread that is halted, so that nothing accepts the connections that the kernel has queued; and fills
 * that queue.
 */
const haltedListener = `
  const { parentPort } = require("node:worker_threads");
  const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
const queueLength = 8;

async function openUnaccepting(): Promise<Running> {
  const thread = new Worker(haltedListener, { eval: true });
  const port = await new Promise<number>((resolve, reject) =>
    thread.once("message", resolve).once("error", reject),
  );
  const queued = Array.from({ length: queueLength }, () =>
    connect(port, "127.0.0.1").on("error", () => {}),
  );
  await new Promise((resolve) => queued[0]?.once("connect", resolve));
  const close = async () => {
    for (const socket of queued) socket.destroy();
    await thread.terminate();
  };
  return { url: `http://127.0.0.1:${port}`, openSockets: () => queued.length, close };
}
