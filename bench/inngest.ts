import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { createWebhook, deleteWebhook } from "@/lib/webhooks/service";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { freePort } from "@/tests/support/processes";
import { cpuMicroseconds, residentMegabytes } from "./processes";
import {
  type Environment,
  median,
  newTenant,
  prepareDatabase,
  type Running,
  responds,
  start,
  type Tenant,
} from "./setting";

// npm run bench:inngest
//
// Runs the built product with a real Inngest server, and prints a table: throughput compared with
// the embedded clock, memory, and what happens to deliveries when a webhook is deleted, the worker
// is killed, or Inngest is killed. INNGEST_SERVER is the server's binary, for example built from
// its source with `go build -mod=mod -o inngest ./cmd`. Needs redis-server. Ends with code 1 if a
// check fails.

const deliveries = Number(process.env.DELIVERIES ?? 1_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const requestsAtOnce = 8;
const retrySchedule = [2, 3, 4, 5, 6, 7, 8];
const timeoutMs = 300_000;
const waitName = "Webhooks: wait for a delivery's next attempt";

const server = process.env.INNGEST_SERVER;
if (!server) {
  process.stdout.write("Skipped: set INNGEST_SERVER to the binary of an Inngest server.\n");
  process.exit(0);
}

type Row = { what: string; figure: string; isGood?: boolean };
const rows: Row[] = [];
function report(what: string, figure: string, isGood?: boolean): void {
  rows.push({ what, figure, ...(isGood !== undefined && { isGood }) });
  process.stderr.write(`${what}: ${figure}${isGood === false ? " (failed)" : ""}\n`);
}

async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await isTrue()); await sleep(50))
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`);
}

type Arrival = { deliveryId: string; attempt: number; atMs: number };

async function startReceiver() {
  const arrivals: Arrival[] = [];
  let status = 200;
  const header = (request: IncomingMessage, name: string) => String(request.headers[name]);
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      arrivals.push({
        deliveryId: header(request, "x-service-delivery-id"),
        attempt: Number(header(request, "x-service-attempt")),
        atMs: Date.now(),
      });
      response.writeHead(status).end("ok");
    });
  });
  receiver.keepAliveTimeout = 60_000;
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  return {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    arrivals,
    respondWith: (next: number) => {
      status = next;
    },
    close: () => {
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;
type Program = { stop: (signal?: NodeJS.Signals) => Promise<void>; pid: number };

async function startProgram(
  command: string,
  args: string[],
  { log, isUp, cwd }: { log: string; isUp: () => Promise<boolean>; cwd: string },
): Promise<Program> {
  const output = openSync(log, "a");
  const child = spawn(command, args, { cwd, stdio: ["ignore", output, output] });
  const exited = once(child, "exit");
  await until(`${command} starts`, async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended; see ${log}`);
    return isUp();
  });
  const stop = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    await exited;
  };
  return { stop, pid: child.pid ?? 0 };
}

type Ports = Record<"http" | "gateway" | "gatewayGrpc" | "executorGrpc" | "redis" | "web", number>;

type Setting = {
  folder: string;
  ports: Ports;
  environment: Environment;
  signingKey: string;
  eventKey: string;
};

/** The real server, in either of its modes. */
function startInngest(mode: "dev" | "start", setting: Setting): Promise<Program> {
  const { ports, folder, signingKey, eventKey } = setting;
  const shared = [
    ...["--host", "127.0.0.1", "--port", String(ports.http)],
    ...["--connect-gateway-port", String(ports.gateway)],
    ...["--connect-gateway-grpc-port", String(ports.gatewayGrpc)],
    ...["--connect-executor-grpc-port", String(ports.executorGrpc)],
  ];
  const url = `http://127.0.0.1:${ports.web}/api/inngest`;
  const args =
    mode === "dev"
      ? ["dev", ...shared, "--no-discovery", "--sdk-url", url]
      : [
          ...["start", ...shared, "--signing-key", signingKey, "--event-key", eventKey],
          ...["--redis-uri", `redis://127.0.0.1:${ports.redis}`, "--sqlite-dir", folder],
          ...["--sdk-url", url, "--poll-interval", "5"],
        ];
  return startProgram(server ?? "", args, {
    ...{ log: path.join(folder, "inngest.log"), cwd: folder },
    isUp: responds(`http://127.0.0.1:${ports.http}/health`),
  });
}

const isRedisUp = (port: number) => async (): Promise<boolean> => {
  const { createConnection } = await import("node:net");
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => resolve(true) ?? socket.destroy());
    socket.on("error", () => resolve(false));
  });
};

const startRedis = ({ ports, folder }: Setting): Promise<Program> =>
  startProgram(
    "redis-server",
    ["--port", String(ports.redis), "--bind", "127.0.0.1", "--save", ""],
    {
      ...{ log: path.join(folder, "redis.log"), cwd: folder, isUp: isRedisUp(ports.redis) },
    },
  );

/** Without this, the first events would find no function. */
async function untilRegistered({ ports }: Setting): Promise<void> {
  await until("the functions are registered", async () => {
    const response = await fetch(`http://127.0.0.1:${ports.http}/v0/gql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ functions { name } }" }),
    });
    return (await response.text()).includes(waitName);
  });
}

type Product = { web: Running; worker: Running; stop: () => Promise<void> };

async function startProduct(setting: Setting, environment: Environment): Promise<Product> {
  const { ports } = setting;
  const url = `http://127.0.0.1:${ports.web}`;
  const web = await start(
    ["dist/web.js"],
    { ...environment, PORT: String(ports.web), NEXTAUTH_URL: url, APP_URL: url },
    responds(`${url}/ready`),
  );
  const worker = await startWorker(environment);
  if (environment.JOBS === "inngest") await untilRegistered(setting);
  const product: Product = {
    web,
    worker,
    // The worker may have been replaced.
    stop: async () => {
      await Promise.all([product.web.stop(), product.worker.stop()]);
    },
  };
  return product;
}

const startWorker = (environment: Environment): Promise<Running> =>
  start(["dist/worker.js"], environment, async () => true);

async function newWebhook({ partition }: Tenant, url: string): Promise<string> {
  const input = { url, events: ["conversation.created"], metadata: {}, description: null };
  const { id } = await mutate(system(partition), (caller) =>
    createWebhook(caller, input as Parameters<typeof createWebhook>[1]),
  );
  return id;
}

/** Creates conversations through the API, each of which raises an event. */
async function createConversations({ ports }: Setting, { key }: Tenant, count: number) {
  let left = count;
  const createNext = async () => {
    while (left > 0) {
      left--;
      const response = await fetch(`http://127.0.0.1:${ports.web}/v1/public/conversations`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ channelId: "web" }),
      });
      await response.arrayBuffer();
      if (response.status === 201) continue;
      if (response.status !== 503) throw new Error(`the API responded with ${response.status}`);
      // A busy machine.
      left++;
      await sleep(1_000);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, createNext));
}

const countOf = (partition: Partition, status: "PENDING" | "DELIVERED") =>
  db().delivery.count({ where: { ...partition, status } });

type Measured = {
  perSecond: number;
  /** Resident megabytes. */
  web: number;
  worker: number;
  /** Microseconds of CPU per delivery: web and worker, and Inngest. */
  cpu: number;
  inngestCpu: number;
};

/** From the first request to the last recorded delivery, to one webhook. */
async function measure(
  setting: Setting,
  product: Product,
  receiver: Receiver,
  inngest: Program | null,
): Promise<Measured> {
  const tenant = await newTenant();
  await newWebhook(tenant, receiver.url);
  // Registration, connections and caches are not measured.
  await createConversations(setting, tenant, 20);
  await until("the first deliveries arrive", async () => {
    return (await countOf(tenant.partition, "DELIVERED")) === 20;
  });
  const cpu = () => cpuMicroseconds(product.web.pid) + cpuMicroseconds(product.worker.pid);
  const inngestCpu = () => (inngest ? cpuMicroseconds(inngest.pid) : 0);
  const before = { own: cpu(), inngest: inngestCpu() };
  const startedMs = performance.now();
  await createConversations(setting, tenant, deliveries);
  await until("all deliveries arrive", async () => {
    return (await countOf(tenant.partition, "DELIVERED")) === deliveries + 20;
  });
  const perSecond = deliveries / ((performance.now() - startedMs) / 1_000);
  return {
    ...{ perSecond, cpu: (cpu() - before.own) / deliveries },
    inngestCpu: (inngestCpu() - before.inngest) / deliveries,
    web: residentMegabytes(product.web.pid),
    worker: residentMegabytes(product.worker.pid),
  };
}

const figures = ({ perSecond, cpu, inngestCpu, web, worker }: Measured) =>
  `${perSecond.toFixed(0)}/s, ${cpu.toFixed(0)} + ${inngestCpu.toFixed(0)} µs of CPU each, web ${web} MB, worker ${worker} MB`;

function medians(all: Measured[]): Measured {
  const of = (name: keyof Measured) => median(all.map((one) => one[name]));
  return {
    ...{ perSecond: of("perSecond"), cpu: of("cpu"), inngestCpu: of("inngestCpu") },
    ...{ web: of("web"), worker: of("worker") },
  };
}

async function throughput(setting: Setting, receiver: Receiver): Promise<void> {
  const variants = {
    "embedded clock": { environment: { JOBS: "embedded" }, mode: null },
    "Inngest start, functions in the worker": {
      environment: { INNGEST_FUNCTIONS: "worker" },
      mode: "start",
    },
    "Inngest start, functions in the web": {
      environment: { INNGEST_FUNCTIONS: "web" },
      mode: "start",
    },
    "Inngest dev, functions in the worker": {
      environment: { INNGEST_FUNCTIONS: "worker" },
      mode: "dev",
    },
  } as const;
  const measured = new Map<string, Measured[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, { environment, mode }] of Object.entries(variants)) {
      rmSync(path.join(setting.folder, "main.db"), { force: true });
      const redis = await startRedis(setting);
      const inngest = mode ? await startInngest(mode, setting) : null;
      const product = await startProduct(setting, { ...setting.environment, ...environment });
      try {
        const one = await measure(setting, product, receiver, inngest);
        process.stderr.write(`round ${round + 1}, ${name}: ${figures(one)}\n`);
        measured.set(name, [...(measured.get(name) ?? []), one]);
      } finally {
        await product.stop();
        await inngest?.stop();
        await redis.stop();
      }
    }
  }
  const embedded = medians(measured.get("embedded clock") ?? []);
  for (const [name, all] of measured) {
    const ratio = medians(all).perSecond / embedded.perSecond;
    report(
      `${deliveries} deliveries to one webhook, ${name}`,
      `${figures(medians(all))}, ratio ${ratio.toFixed(2)}`,
      ratio >= 0.5,
    );
  }
}

/** Eight attempts on the schedule, and what a deleted webhook cancels. */
async function schedule(setting: Setting, receiver: Receiver): Promise<void> {
  receiver.respondWith(500);
  const tenant = await newTenant();
  await newWebhook(tenant, receiver.url);
  receiver.arrivals.length = 0;
  await createConversations(setting, tenant, 1);
  await until("the eighth attempt is made", () => receiver.arrivals.length >= 8);
  await sleep(5_000);
  const gaps = receiver.arrivals.slice(1).map(({ atMs }, index) => {
    return (atMs - (receiver.arrivals[index]?.atMs ?? 0)) / 1_000;
  });
  const isKept =
    receiver.arrivals.every(({ attempt }, index) => attempt === index + 1) &&
    gaps.length === 7 &&
    gaps.every((gap, index) => {
      const planned = retrySchedule[index] ?? 0;
      return gap >= planned * (index === 6 ? 0.9 : 1) && gap < planned * 1.1 + 5;
    });
  report(
    `retries with WEBHOOK_RETRY_SCHEDULE=${retrySchedule.join(",")}`,
    `attempts after ${gaps.map((gap) => gap.toFixed(1)).join(", ")} s`,
    isKept,
  );
  receiver.respondWith(200);
}

type RunCounts = Record<string, number>;

/** How Inngest itself counts the runs of one function. */
async function countRuns({ ports }: Setting, name: string): Promise<RunCounts> {
  const query = `query ($from: Time!) {
    runs(first: 400, filter: { from: $from }, orderBy: [{ field: QUEUED_AT, direction: DESC }]) {
      edges { node { status function { name } } }
    }
  }`;
  const response = await fetch(`http://127.0.0.1:${ports.http}/v0/gql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      query,
      variables: { from: new Date(Date.now() - 3_600_000).toISOString() },
    }),
  });
  const { data, errors } = (await response.json()) as {
    data?: { runs: { edges: { node: { status: string; function: { name: string } } }[] } };
    errors?: unknown;
  };
  if (!data) throw new Error(`Inngest's API responded with ${JSON.stringify(errors)}`);
  const counts: RunCounts = {};
  for (const { node } of data.runs.edges)
    if (node.function.name === name) counts[node.status] = (counts[node.status] ?? 0) + 1;
  return counts;
}

async function cancellation(setting: Setting, receiver: Receiver, product: Product): Promise<void> {
  const environment = { ...setting.environment, INNGEST_FUNCTIONS: "worker" };
  await product.worker.stop();
  // Long enough for runs to sleep until the webhook is deleted.
  const sleepy = { ...environment, WEBHOOK_RETRY_SCHEDULE: Array(7).fill(600).join(",") };
  product.worker = await startWorker(sleepy);
  receiver.respondWith(500);
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant, receiver.url);
  const before = (await countRuns(setting, waitName)).CANCELLED ?? 0;
  await createConversations(setting, tenant, 5);
  await until("the first attempts fail", async () => {
    const where = { ...tenant.partition, attemptCount: { gte: 1 } };
    return (await db().delivery.count({ where })) === 5;
  });
  await until("five runs sleep", async () => {
    return ((await countRuns(setting, waitName)).RUNNING ?? 0) >= 5;
  });
  await mutate(system(tenant.partition), (caller) => deleteWebhook(caller, webhook));
  const canceled = async () => ((await countRuns(setting, waitName)).CANCELLED ?? 0) - before;
  for (let tries = 0; tries < 60 && (await canceled()) < 5; tries++) await sleep(500);
  const count = await canceled();
  report(
    "sleeping runs of a deleted webhook that Inngest canceled, of 5",
    String(count),
    count === 5,
  );
  receiver.respondWith(200);
  await product.worker.stop();
  product.worker = await startWorker(environment);
}

/** Attempts that arrived, by delivery. */
function repeated(arrivals: Arrival[]): number {
  const distinct = new Set(arrivals.map(({ deliveryId }) => deliveryId));
  return arrivals.length - distinct.size;
}

async function crashes(
  setting: Setting,
  receiver: Receiver,
  product: Product,
  inngest: { current: Program },
): Promise<void> {
  const environment = { ...setting.environment, INNGEST_FUNCTIONS: "worker" };
  for (const what of ["the worker is killed", "Inngest is killed"]) {
    const tenant = await newTenant();
    await newWebhook(tenant, receiver.url);
    receiver.arrivals.length = 0;
    const creating = createConversations(setting, tenant, deliveries);
    await until("some arrive", () => receiver.arrivals.length > deliveries / 10);
    if (what === "the worker is killed") {
      await product.worker.stop();
      product.worker = await startWorker(environment);
    } else {
      await inngest.current.stop();
      await sleep(2_000);
      inngest.current = await startInngest("start", setting);
    }
    await creating;
    const startedMs = performance.now();
    await until("nothing is waiting", async () => {
      return (await countOf(tenant.partition, "DELIVERED")) === deliveries;
    });
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
    const distinct = new Set(receiver.arrivals.map(({ deliveryId }) => deliveryId)).size;
    report(
      `${deliveries} deliveries while ${what} and started again`,
      `${deliveries - distinct} lost, ${repeated(receiver.arrivals)} repeated, complete ${seconds} s after the last request`,
      distinct === deliveries,
    );
  }
}

await withTemporaryPostgres(async (postgres) => {
  const folder = mkdtempSync(path.join(tmpdir(), "inngest-"));
  const [http, gateway, gatewayGrpc, executorGrpc, redisPort, web] = await Promise.all(
    Array.from({ length: 6 }, freePort),
  );
  const ports = { http, gateway, gatewayGrpc, executorGrpc, redis: redisPort, web } as Ports;
  const [signingKey, eventKey] = [randomBytes(32).toString("hex"), randomBytes(16).toString("hex")];
  const environment = {
    ...(await prepareDatabase(postgres, "inngest")),
    JOBS: "inngest",
    INNGEST_BASE_URL: `http://127.0.0.1:${ports.http}`,
    INNGEST_EVENT_KEY: eventKey,
    INNGEST_SIGNING_KEY: signingKey,
    INNGEST_CONNECT_GATEWAY_URL: `ws://127.0.0.1:${ports.gateway}/v0/connect`,
    WEBHOOK_RETRY_SCHEDULE: retrySchedule.join(","),
    // On a busy machine too, the API accepts everything.
    DATABASE_STATEMENT_TIMEOUT_MS: "60000",
  };
  const setting: Setting = { folder, ports, environment, signingKey, eventKey };
  const receiver = await startReceiver();
  try {
    if (rounds > 0) await throughput(setting, receiver);
    const redis = await startRedis(setting);
    const inngest = { current: await startInngest("start", setting) };
    const product = await startProduct(setting, { ...environment, INNGEST_FUNCTIONS: "worker" });
    try {
      await schedule(setting, receiver);
      await cancellation(setting, receiver, product);
      await crashes(setting, receiver, product, inngest);
    } finally {
      await product.stop();
      await inngest.current.stop();
      await redis.stop();
    }
  } finally {
    receiver.close();
    await closeDatabase();
    if (rows.every(({ isGood }) => isGood !== false)) rmSync(folder, { recursive: true });
    else process.stderr.write(`the logs are in ${folder}\n`);
  }
});

const table = rows.map(
  ({ what, figure, isGood }) => `| ${what} | ${figure} | ${isGood === false ? "failed" : "ok"} |`,
);
process.stdout.write(["| What | Result | |", "| --- | --- | --- |", ...table, ""].join("\n"));
process.exit(rows.some(({ isGood }) => isGood === false) ? 1 : 0);
