import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandboxed } from "@/lib/knowledge/documents/sandbox";

// A program that tries every way out it knows, and prints which of them worked. It runs once
// without the sandbox, as a control: there the ways lead to this test's own servers.

let connections = 0;
let datagrams = 0;
const tcp = createServer((socket) => {
  connections++;
  socket
    .on("error", () => {})
    .end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
});
const udp = createSocket("udp4").on("message", () => datagrams++);
let program: string;

beforeAll(async () => {
  tcp.listen(0, "127.0.0.1");
  udp.bind(0, "127.0.0.1");
  await Promise.all([once(tcp, "listening"), once(udp, "listening")]);
  const { port } = tcp.address() as { port: number };
  program = `
    const port = ${port}, udpPort = ${udp.address().port}, url = "http://127.0.0.1:" + port + "/";
    const settled = (emitter, event) => new Promise((resolve, reject) => emitter.once(event, resolve).once("error", reject));
    const called = (work) => new Promise((resolve, reject) => work((error) => (error ? reject(error) : resolve())));
    const load = (name) => process.getBuiltinModule ? process.getBuiltinModule(name) : import(name).then((module) => module.default);
    const ways = {
      net: async () => settled((await load("node:net")).connect(port, "127.0.0.1"), "connect"),
      socket: async () => settled(new (await load("node:net")).Socket().connect(port, "127.0.0.1"), "connect"),
      listen: async () => settled((await load("node:http")).createServer().listen(0, "127.0.0.1"), "listening"),
      http: async () => settled((await load("node:http")).get(url), "response"),
      http2: async () => settled((await load("node:http2")).connect(url), "connect"),
      fetch: async () => fetch(url),
      undici: async () => (await import("undici")).request(url),
      udp: async () => {
        const socket = (await load("node:dgram")).createSocket("udp4");
        await called((done) => socket.on("error", done).send("x", udpPort, "127.0.0.1", done));
      },
      dns: async () => {
        const { lookup } = await load("node:dns");
        await called((done) => lookup("localhost", done));
      },
      dnsPromises: async () => (await load("node:dns/promises")).lookup("localhost"),
      resolver: async () => { const { Resolver } = await load("node:dns"); new Resolver().resolve4("example.com", () => {}); },
      process: async () => settled((await load("node:child_process")).spawn("true"), "exit"),
      processSync: async () => (await load("node:child_process")).execFileSync("true"),
      worker: async () => settled(new (await load("node:worker_threads")).Worker("0", { eval: true }), "exit"),
      binding: async () => process.binding("tcp_wrap"),
      file: async () => (await load("node:fs")).readFileSync("/etc/passwd"),
    };
    const open = [];
    for (const [name, way] of Object.entries(ways)) {
      await Promise.resolve().then(way).then(() => open.push(name), () => {});
    }
    process.stdout.write(JSON.stringify(open), () => process.exit(0));`;
});
afterAll(() => {
  tcp.close();
  udp.close();
});

const parameters = ["--input-type=module", "-"];
const limits = { heapMegabytes: 384, memoryMegabytes: 768 };

async function waysOut(child: ReturnType<typeof startSandboxed>): Promise<string[]> {
  child.stdin.end(program);
  return JSON.parse(await text(child.stdout));
}

test("without the sandbox, the tried ways lead out", async () => {
  const open = await waysOut(
    spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "ignore"] }),
  );
  const expected = [
    "net",
    "socket",
    "listen",
    "http",
    "fetch",
    "undici",
    "udp",
    "dns",
    "dnsPromises",
    "process",
    "worker",
    "file",
  ];
  expect(open).toEqual(expect.arrayContaining(expected));
  await expect.poll(() => [connections > 0, datagrams > 0]).toEqual([true, true]);
});

test.each([true, false])(
  "the process that opens a document reaches nothing (own network namespace, where the system has them: %j)",
  async (withNamespace) => {
    [connections, datagrams] = [0, 0];
    expect(await waysOut(startSandboxed(parameters, limits, { withNamespace }))).toEqual([]);
    expect([connections, datagrams]).toEqual([0, 0]);
  },
);
