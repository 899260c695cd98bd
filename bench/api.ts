import { randomBytes } from "node:crypto";
import { mutate, system } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { createWebhook } from "@/lib/webhooks/service";
import type { Postgres } from "@/server/embedded/postgres";
import { type Driven, drive, type Load } from "./drive";
import {
  cpuMicroseconds,
  type Environment,
  median,
  newTenant,
  prepareDatabase,
  type Row,
  type Running,
  residentMegabytes,
  seedConversations,
  start,
  type Tenant,
} from "./setting";

// The API's hot operations against their floor and against Next's own server. Each round drives
// every server in turn, so that a machine whose speed drifts does so for all of them; the medians
// of the rounds are compared.

export type ApiOptions = {
  rounds: number;
  seconds: number;
  connections: number;
  conversations: number;
  only?: string | undefined;
};

const tenants = 50;
/** So that messages do not wait for each other's conversation. */
const conversationsWithMessages = 500;

type Server = { name: string; port: number; command: string[]; environment?: Environment };

const servers: Server[] = [
  {
    name: "floor: node:http + pg, key looked up",
    port: 4_801,
    command: ["--import", "tsx", "bench/floor.ts"],
  },
  {
    name: "floor: node:http + pg, key cached",
    port: 4_802,
    command: ["--import", "tsx", "bench/floor.ts"],
    environment: { FLOOR_KEY: "cached" },
  },
  { name: "Parlance, server/web", port: 4_803, command: ["dist/web.js"] },
  { name: "Parlance, served by Next", port: 4_804, command: ["--import", "tsx", "bench/next.ts"] },
];
const [floorServer, , webServer, nextServer] = servers;

type Operation = {
  name: string;
  goal?: number;
  load: (
    run: string,
  ) => Pick<Load, "method" | "path" | "body"> & { idempotencyKey?: (index: number) => string };
};

const conversations = "/v1/public/conversations";
const newConversation = JSON.stringify({ channelId: "web" });

const operationsOn = (conversationId: (n: number) => string): Operation[] => [
  {
    name: "list 20 conversations",
    goal: 0.85,
    load: () => ({ method: "GET", path: () => conversations }),
  },
  {
    name: "create a conversation",
    goal: 0.9,
    load: () => ({ method: "POST", path: () => conversations, body: newConversation }),
  },
  {
    name: "create, with an Idempotency-Key",
    load: (run) => ({
      method: "POST",
      path: () => conversations,
      body: newConversation,
      idempotencyKey: (index) => `${run}-${index}`,
    }),
  },
  {
    name: "post a message, one webhook subscribed",
    load: () => ({
      method: "POST",
      path: (index) =>
        `${conversations}/${conversationId((index % conversationsWithMessages) + 1)}/messages`,
      body: JSON.stringify({ text: "Where is my order? It should have been here yesterday." }),
    }),
  },
  {
    name: "idempotent replay",
    load: () => ({
      method: "POST",
      path: () => conversations,
      body: newConversation,
      idempotencyKey: () => "replay",
    }),
  },
];

type Measured = Driven & { cpu: number };

/** @returns the rows of the table: ours against the floor, and against Next's own server. */
export async function measureApi(postgres: Postgres, options: ApiOptions): Promise<Row[]> {
  const environment = await prepareDatabase(postgres, "bench");
  const running = new Map<Server, Running>();
  try {
    const { tenant, operations } = await seed(options.conversations);
    for (const server of servers) {
      if (options.only && !server.name.includes(options.only)) continue;
      running.set(server, await startServer(server, environment, tenant.key));
    }
    const rows: Row[] = [];
    for (const operation of operations) {
      const results = await measureOperation(operation, running, tenant.key, options);
      print(operation.name, results, options);
      rows.push(...toRows(operation, results));
    }
    for (const [{ name }, process_] of running)
      process.stdout.write(`${name}: ${residentMegabytes(process_)} MB resident\n`);
    const web = webServer && running.get(webServer);
    if (web) {
      const megabytes = residentMegabytes(web);
      rows.push({
        name: "web resident under this load",
        figure: `${megabytes} MB`,
        goal: "≤ 250 MB",
        isMet: megabytes <= 250,
      });
    }
    return rows;
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()));
    await closeDatabase();
  }
}

/**
 * Conversations of fifty tenants; the key belongs to one of them, and its webhook is told of
 * messages.
 */
async function seed(count: number) {
  const perTenant = Math.max(Math.round(count / tenants), conversationsWithMessages);
  const all: Tenant[] = [];
  for (let index = 0; index < tenants; index++) all.push(await newTenant());
  let conversationId = (n: number) => String(n);
  for (const { partition } of all)
    conversationId = await seedConversations(partition.tenantId, perTenant);
  const tenant = all.at(-1);
  if (!tenant) throw new Error("there is no tenant");
  await mutate(system(tenant.partition), (caller) =>
    createWebhook(caller, {
      url: "http://127.0.0.1:9/",
      events: ["message.received"],
      metadata: {},
      description: null,
    }),
  );
  await db().$executeRaw`ANALYZE`;
  return { tenant, operations: operationsOn(conversationId) };
}

async function startServer(
  server: Server,
  environment: Environment,
  key: string,
): Promise<Running> {
  const { port, command } = server;
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}${conversations}`, {
      headers: { authorization: `Bearer ${key}` },
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
  return start(command, { ...environment, ...server.environment, PORT: String(port) }, isUp);
}

async function measureOperation(
  { load }: Operation,
  running: Map<Server, Running>,
  key: string,
  { rounds, seconds, connections }: ApiOptions,
) {
  const results = new Map<Server, Measured[]>();
  // The first round warms up, and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [server, process_] of running) {
      const { idempotencyKey, ...request } = load(randomBytes(6).toString("hex"));
      const headers = (index: number) => ({
        authorization: `Bearer ${key}`,
        ...(idempotencyKey && { "idempotency-key": idempotencyKey(index) }),
      });
      const before = cpuMicroseconds(process_);
      const driven = await drive({
        ...request,
        headers,
        port: server.port,
        connections,
        seconds: round === 0 ? 1 : seconds,
      });
      const cpu = (cpuMicroseconds(process_) - before) / driven.count;
      if (round > 0) results.set(server, [...(results.get(server) ?? []), { ...driven, cpu }]);
    }
  }
  return new Map(
    [...results].map(([server, measured]) => [
      server,
      {
        rate: median(measured.map(({ rate }) => rate)),
        p99: median(measured.map(({ p99 }) => p99)),
        cpu: median(measured.map(({ cpu }) => cpu)),
      },
    ]),
  );
}

type Medians = Map<Server, Omit<Measured, "count">>;

function print(
  title: string,
  results: Medians,
  { rounds, seconds, connections }: ApiOptions,
): void {
  const [floor] = results.values();
  process.stdout.write(
    `\n${title} (${connections} connections, ${rounds} rounds of ${seconds} s)\n`,
  );
  for (const [{ name }, { rate, p99, cpu }] of results) {
    const ratio = (rate / (floor?.rate ?? rate)).toFixed(2);
    const columns = [
      `${rate.toFixed(0).padStart(7)}/s`,
      `ratio ${ratio}`,
      `p99 ${p99} ms`,
      `${cpu.toFixed(0)} µs of CPU a request`,
    ];
    process.stdout.write(`  ${name.padEnd(40)} ${columns.join("  ")}\n`);
  }
}

function toRows({ name, goal }: Operation, results: Medians): Row[] {
  const [floor, web, next] = [floorServer, webServer, nextServer].map(
    (server) => server && results.get(server),
  );
  if (!floor || !web || !next) return [];
  const [ratio, p99Ratio, nextRatio] = [
    web.rate / floor.rate,
    web.p99 / Math.max(floor.p99, 1),
    web.rate / next.rate,
  ];
  const rate = `${web.rate.toFixed(0)}/s`;
  return [
    {
      name: `${name}, to the floor`,
      figure: rate,
      ratio,
      ...(goal && { goal: `≥ ${goal}`, isMet: ratio >= goal }),
    },
    {
      name: `${name}, p99 to the floor's`,
      figure: `${web.p99} ms`,
      ratio: p99Ratio,
      goal: "≤ 2",
      isMet: p99Ratio <= 2,
    },
    { name: `${name}, to the same served by Next`, figure: rate, ratio: nextRatio },
  ];
}
