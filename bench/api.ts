// `npm run bench`: the API's hot operations against their floor, in one run, as ratios. Each round drives every server in
// turn, so that a machine whose speed drifts does so for all of them; the medians of the rounds are compared.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { mutate } from "@/lib/caller";
import { closeDatabase, db } from "@/lib/db";
import { createTenant } from "@/lib/tenants/service";
import { applyMigrations } from "@/prisma/migrate";
import { ensureDatabase, startTemporaryPostgres } from "@/server/embedded/postgres";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "32" },
    rows: { type: "string", default: "50000" },
    only: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const connections = Number(options.connections);
const tenants = 50;

type Result = { rate: number; p99: number; cpu: number };
type Server = { name: string; port: number; command: string[]; env?: Record<string, string> };

const servers: Server[] = [
  { name: "floor: node:http + pg, key looked up", port: 4_801, command: ["--import", "tsx", "bench/floor.ts"] },
  { name: "floor: node:http + pg, key cached", port: 4_802, command: ["--import", "tsx", "bench/floor.ts"], env: { FLOOR_KEY: "cached" } },
  { name: "Parlance, server/web", port: 4_803, command: ["dist/web.js"] },
  { name: "Parlance, next start", port: 4_804, command: ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "4804"] },
].filter(({ name }) => !options.only || name.includes(options.only));

const operations = [
  { name: "list 20 conversations", method: "GET" as const, path: "/v1/public/conversations" },
  { name: "create a conversation", method: "POST" as const, path: "/v1/public/conversations", body: JSON.stringify({ channelId: "web" }) },
  {
    name: "create, with an Idempotency-Key",
    method: "POST" as const,
    path: "/v1/public/conversations",
    body: JSON.stringify({ channelId: "web" }),
    isKeyed: true,
  },
];

const postgres = await startTemporaryPostgres();
const children: ChildProcess[] = [];
try {
  const environment = await prepareDatabase();
  const key = await seed();
  for (const server of servers) children.push(await start(server, environment, key));

  for (const operation of operations) {
    const results = new Map<string, Result[]>(servers.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [index, { name, port }] of servers.entries()) {
        const before = cpuMicroseconds(children[index]);
        const { rate, p99, count } = await drive(port, operation, key, seconds);
        results.get(name)?.push({ rate, p99, cpu: (cpuMicroseconds(children[index]) - before) / count });
      }
    }
    print(operation.name, results);
  }
  for (const [index, child] of children.entries()) {
    process.stdout.write(`${servers[index]?.name}: ${residentMegabytes(child)} MB resident\n`);
  }
} finally {
  for (const child of children) child.kill("SIGKILL");
  await closeDatabase().catch(() => {});
  await postgres.stop();
}

async function prepareDatabase(): Promise<Record<string, string>> {
  await ensureDatabase(postgres, "bench");
  await applyMigrations(postgres.url("bench"));
  const environment = {
    NODE_ENV: "production",
    LOG_LEVEL: "error",
    DATABASE_URL: postgres.url("bench"),
    SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    NEXTAUTH_SECRET: randomBytes(32).toString("base64"),
    NEXTAUTH_URL: "http://localhost:4803",
    HOST: "127.0.0.1",
  };
  Object.assign(process.env, environment);
  return environment;
}

/** Conversations of fifty tenants; the key belongs to one of them. */
async function seed(): Promise<string> {
  let key = "";
  for (let index = 0; index < tenants; index++) {
    const tenant = await createTenant(db(), { name: `Bench ${index}` });
    const identity = {
      partition: { tenantId: tenant.id, environment: "live" as const },
      actor: { type: "OPERATOR" as const, id: "bench" },
      request: null,
      address: null,
    };
    const created = await mutate(identity, (caller) =>
      createApiKey(caller, { name: "bench", scopes: [...scopes], rateLimitPerMinute: 1_000_000 }),
    );
    key = created.key;
    await db().$executeRaw`
      INSERT INTO conversations (tenant_id, environment, id, channel_id, tags, created_at, updated_at)
      SELECT ${tenant.id}, 'live', 'cnv_01' || lpad(upper(to_hex(n)), 24, '0'), 'web', '{}', now(), now()
      FROM generate_series(1, ${Math.round(Number(options.rows) / tenants)}) AS n`;
  }
  await db().$executeRaw`ANALYZE`;
  return key;
}

async function start(server: Server, environment: Record<string, string>, key: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, server.command, {
    env: { ...process.env, ...environment, ...server.env, PORT: String(server.port) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit").then(() => {
    throw new Error(`${server.name} ended before it answered`);
  });
  exited.catch(() => {});
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${server.port}/v1/public/conversations`, {
      headers: { authorization: `Bearer ${key}` },
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isUp) break;
    await Promise.race([sleep(100), exited]);
  }
  for (const operation of operations) await drive(server.port, operation, key, 1);
  return child;
}

async function drive(
  port: number,
  { method, path, body, isKeyed }: (typeof operations)[number] & { isKeyed?: boolean; body?: string },
  key: string,
  duration: number,
) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
  let count = 0;
  const run = randomBytes(6).toString("hex");
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration,
    requests: [
      {
        method,
        path,
        headers,
        ...(body && { body }),
        ...(isKeyed && {
          setupRequest: (request: autocannon.Request) => ({ ...request, headers: { ...headers, "idempotency-key": `${run}-${count++}` } }),
        }),
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${method} ${path}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  return { rate: result.requests.average, p99: result.latency.p99, count: result.requests.total };
}

function print(title: string, results: Map<string, Result[]>): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const rows = [...results].map(([name, runs]) => ({
    name,
    rate: median(runs.map(({ rate }) => rate)),
    p99: median(runs.map(({ p99 }) => p99)),
    cpu: median(runs.map(({ cpu }) => cpu)),
  }));
  const floor = rows[0];
  process.stdout.write(`\n${title} (${connections} connections, ${rounds} rounds of ${seconds} s)\n`);
  for (const { name, rate, p99, cpu } of rows) {
    const ratio = (rate / (floor?.rate ?? rate)).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(40)} ${rate.toFixed(0).padStart(7)}/s  ratio ${ratio}  p99 ${p99} ms  ${cpu.toFixed(0)} µs of CPU a request\n`,
    );
  }
}

/** User and system time of a process so far. Steadier than its rate on a machine that others use too. */
function cpuMicroseconds(child: ChildProcess | undefined): number {
  const fields = readFileSync(`/proc/${child?.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticksPerSecond = 100;
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

function residentMegabytes(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}
