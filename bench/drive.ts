import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import autocannon from "autocannon";

/** In `path` and in headers, `{n}` becomes the number of the request. */
export type DrivenRequest = {
  method: "GET" | "POST" | "PATCH";
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
};

export type Load = {
  port: number;
  /** Sent in turn. */
  requests: DrivenRequest[];
  /** Of every response. */
  status: number;
  seconds: number;
  connections: number;
};

export type Driven = {
  rate: number;
  count: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU seconds of the load generator per second: 1 is a whole core, and then it may be the bottleneck. */
  generatorShare: number;
};

/** wrk costs a tenth of autocannon, and leaves the cores to the server and the database. */
export const loadGenerator = hasWrk() ? "wrk" : "autocannon";

function hasWrk(): boolean {
  try {
    execFileSync("sh", ["-c", "command -v wrk"]);
    return true;
  } catch {
    return false;
  }
}

/** Sends as many requests as possible. @throws if one of them gets another status. */
export async function drive(load: Load): Promise<Driven> {
  const [first] = load.requests;
  if (!first) throw new Error("there is nothing to send");
  // wrk tells only success from failure, so one response is checked for its exact status.
  const { method, path: pathname, headers, body } = numbered(first, "first");
  const init = { method, headers, ...(body && { body }) };
  const { status } = await fetch(`http://127.0.0.1:${load.port}${pathname}`, init);
  if (status !== load.status) throw new Error(`${method} ${pathname}: ${status}`);
  return loadGenerator === "wrk" ? driveWithWrk(load) : driveWithAutocannon(load);
}

const numbered = (request: DrivenRequest, n: string): DrivenRequest => ({
  ...request,
  path: request.path.replace("{n}", n),
  headers: Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value.replace("{n}", n)]),
  ),
});

type WrkResult = Record<"requests" | "microseconds" | "p50" | "p99" | "refused" | "broken", number>;

async function driveWithWrk(load: Load): Promise<Driven> {
  const { port, connections, seconds } = load;
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-wrk-"));
  const file = path.join(directory, "requests");
  writeFileSync(file, load.requests.map((request) => onTheWire(request, port)).join("\0"));
  try {
    const sizes = ["-t1", `-c${connections}`, `-d${seconds}`, "--timeout=30"];
    const target = ["-s", "bench/drive.lua", `http://127.0.0.1:${port}`, "--", file];
    const { stdout } = await promisify(execFile)("sh", [
      ...["-c", '"$@"; times', "sh"],
      ...["wrk", ...sizes, ...target],
    ]);
    const result = JSON.parse(/^\{.*\}$/m.exec(stdout)?.[0] ?? "null") as WrkResult | null;
    // The last line that `times` prints: user and system time of wrk.
    const [user = 0, system = 0] = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)]
      .slice(-2)
      .map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
    if (!result) throw new Error(`wrk printed no result: ${stdout}`);
    const expectedRefusals = load.status < 400 ? 0 : result.requests;
    if (result.broken > 0 || result.refused !== expectedRefusals)
      throw new Error(`${failureOf(load)}: ${JSON.stringify(result)}`);
    const elapsedSeconds = result.microseconds / 1e6;
    return {
      rate: result.requests / elapsedSeconds,
      count: result.requests,
      p50Ms: result.p50 / 1_000,
      p99Ms: result.p99 / 1_000,
      generatorShare: (user + system) / elapsedSeconds,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function onTheWire({ method, path: pathname, headers, body }: DrivenRequest, port: number): string {
  const all = {
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(body && { "content-length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

async function driveWithAutocannon(load: Load): Promise<Driven> {
  const { port, connections, seconds, requests, status } = load;
  let count = 0;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: [
      {
        setupRequest: (request: autocannon.Request) => {
          const next = requests[++count % requests.length];
          return next ? { ...request, ...numbered(next, String(count)) } : request;
        },
      },
    ],
  });
  const { user, system } = process.cpuUsage(before);
  const counts = result.statusCodeStats ?? {};
  if (result.errors > 0 || Object.keys(counts).some((code) => Number(code) !== status))
    throw new Error(`${failureOf(load)}: ${JSON.stringify(counts)}, ${result.errors} errors`);
  return {
    rate: result.requests.average,
    count: result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    generatorShare: (user + system) / 1_000 / (performance.now() - startedAt),
  };
}

const failureOf = ({ requests: [first], status }: Load) =>
  `${first?.method} ${first?.path} had responses other than ${status}`;
